-- How many rows were written so far, in whatever program, of the tables that most answers need and
-- few writes touch: whoever read them earlier sees by one row that they are as they were.

CREATE TABLE written (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    user_table INTEGER NOT NULL DEFAULT 0,
    token_table INTEGER NOT NULL DEFAULT 0,
    organization_table INTEGER NOT NULL DEFAULT 0,
    member_table INTEGER NOT NULL DEFAULT 0,
    team_member_table INTEGER NOT NULL DEFAULT 0,
    access_grant_table INTEGER NOT NULL DEFAULT 0,
    collection_table INTEGER NOT NULL DEFAULT 0,
    space_table INTEGER NOT NULL DEFAULT 0,
    site_table INTEGER NOT NULL DEFAULT 0,
    site_section_table INTEGER NOT NULL DEFAULT 0,
    site_space_table INTEGER NOT NULL DEFAULT 0
);
INSERT INTO written (one) VALUES (1);

CREATE TRIGGER written_user_insert AFTER INSERT ON user
    BEGIN UPDATE written SET user_table = user_table + 1; END;
CREATE TRIGGER written_user_update AFTER UPDATE ON user
    BEGIN UPDATE written SET user_table = user_table + 1; END;
CREATE TRIGGER written_user_delete AFTER DELETE ON user
    BEGIN UPDATE written SET user_table = user_table + 1; END;
CREATE TRIGGER written_token_insert AFTER INSERT ON token
    BEGIN UPDATE written SET token_table = token_table + 1; END;
CREATE TRIGGER written_token_update AFTER UPDATE ON token
    BEGIN UPDATE written SET token_table = token_table + 1; END;
CREATE TRIGGER written_token_delete AFTER DELETE ON token
    BEGIN UPDATE written SET token_table = token_table + 1; END;
CREATE TRIGGER written_organization_insert AFTER INSERT ON organization
    BEGIN UPDATE written SET organization_table = organization_table + 1; END;
CREATE TRIGGER written_organization_update AFTER UPDATE ON organization
    BEGIN UPDATE written SET organization_table = organization_table + 1; END;
CREATE TRIGGER written_organization_delete AFTER DELETE ON organization
    BEGIN UPDATE written SET organization_table = organization_table + 1; END;
CREATE TRIGGER written_member_insert AFTER INSERT ON member
    BEGIN UPDATE written SET member_table = member_table + 1; END;
CREATE TRIGGER written_member_update AFTER UPDATE ON member
    BEGIN UPDATE written SET member_table = member_table + 1; END;
CREATE TRIGGER written_member_delete AFTER DELETE ON member
    BEGIN UPDATE written SET member_table = member_table + 1; END;
CREATE TRIGGER written_team_member_insert AFTER INSERT ON team_member
    BEGIN UPDATE written SET team_member_table = team_member_table + 1; END;
CREATE TRIGGER written_team_member_update AFTER UPDATE ON team_member
    BEGIN UPDATE written SET team_member_table = team_member_table + 1; END;
CREATE TRIGGER written_team_member_delete AFTER DELETE ON team_member
    BEGIN UPDATE written SET team_member_table = team_member_table + 1; END;
CREATE TRIGGER written_access_grant_insert AFTER INSERT ON access_grant
    BEGIN UPDATE written SET access_grant_table = access_grant_table + 1; END;
CREATE TRIGGER written_access_grant_update AFTER UPDATE ON access_grant
    BEGIN UPDATE written SET access_grant_table = access_grant_table + 1; END;
CREATE TRIGGER written_access_grant_delete AFTER DELETE ON access_grant
    BEGIN UPDATE written SET access_grant_table = access_grant_table + 1; END;
CREATE TRIGGER written_collection_insert AFTER INSERT ON collection
    BEGIN UPDATE written SET collection_table = collection_table + 1; END;
CREATE TRIGGER written_collection_update AFTER UPDATE ON collection
    BEGIN UPDATE written SET collection_table = collection_table + 1; END;
CREATE TRIGGER written_collection_delete AFTER DELETE ON collection
    BEGIN UPDATE written SET collection_table = collection_table + 1; END;
CREATE TRIGGER written_space_insert AFTER INSERT ON space
    BEGIN UPDATE written SET space_table = space_table + 1; END;
CREATE TRIGGER written_space_update AFTER UPDATE ON space
    BEGIN UPDATE written SET space_table = space_table + 1; END;
CREATE TRIGGER written_space_delete AFTER DELETE ON space
    BEGIN UPDATE written SET space_table = space_table + 1; END;
CREATE TRIGGER written_site_insert AFTER INSERT ON site
    BEGIN UPDATE written SET site_table = site_table + 1; END;
CREATE TRIGGER written_site_update AFTER UPDATE ON site
    BEGIN UPDATE written SET site_table = site_table + 1; END;
CREATE TRIGGER written_site_delete AFTER DELETE ON site
    BEGIN UPDATE written SET site_table = site_table + 1; END;
CREATE TRIGGER written_site_section_insert AFTER INSERT ON site_section
    BEGIN UPDATE written SET site_section_table = site_section_table + 1; END;
CREATE TRIGGER written_site_section_update AFTER UPDATE ON site_section
    BEGIN UPDATE written SET site_section_table = site_section_table + 1; END;
CREATE TRIGGER written_site_section_delete AFTER DELETE ON site_section
    BEGIN UPDATE written SET site_section_table = site_section_table + 1; END;
CREATE TRIGGER written_site_space_insert AFTER INSERT ON site_space
    BEGIN UPDATE written SET site_space_table = site_space_table + 1; END;
CREATE TRIGGER written_site_space_update AFTER UPDATE ON site_space
    BEGIN UPDATE written SET site_space_table = site_space_table + 1; END;
CREATE TRIGGER written_site_space_delete AFTER DELETE ON site_space
    BEGIN UPDATE written SET site_space_table = site_space_table + 1; END;
