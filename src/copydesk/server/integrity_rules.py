"""The rules of a whole desk that a query can ask for: kept counts, positions, defaults, owners.

Each is checked against what it is derived from. What the tables demand by themselves is not here.
"""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.server.change_requests import COUNTED


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that holds on every desk: ``sql`` finds the rows for which it does not.

    The columns of those rows fill the placeholders of ``sentence``.
    """

    sentence: str
    sql: str


def _counted(table: str, column: str, what: str, counting: str) -> Rule:
    """Return the rule that a kept count is what there is to be counted."""
    return Rule(
        f"{table} {{id}} keeps a count of {{kept}} {what}, but there are {{found}}",
        f"SELECT * FROM (SELECT id, {column} AS kept, ({counting}) AS found FROM {table} AS t) "  # noqa: S608 - names are ours
        "WHERE kept IS NOT found",
    )


def _placed(what: str, table: str, among: str) -> Rule:
    """Return the rule that siblings have positions of their own."""
    return Rule(
        f"{{found}} {what} stand at the same position {{position}} of {{place}}",
        f"SELECT count(*) AS found, position, {among} AS place FROM {table} "  # noqa: S608
        f"GROUP BY {among}, position HAVING count(*) > 1",
    )


RULES: tuple[Rule, ...] = (
    _counted(
        "space",
        "comments",
        "open comments",
        "SELECT count(*) FROM comment "
        "WHERE space_id = t.id AND change_request_id IS NULL AND status = 'open'",
    ),
    _counted(
        "space",
        "change_requests",
        "change requests",
        "SELECT count(*) FROM change_request WHERE space_id = t.id",
    ),
    *(
        _counted(
            "space",
            column,
            f"change requests ({status})",
            f"SELECT count(*) FROM change_request WHERE space_id = t.id AND status = '{status}'",  # noqa: S608 - statuses are ours
        )
        for status, column in COUNTED.items()
    ),
    _counted(
        "change_request",
        "comments",
        "open comments",
        "SELECT count(*) FROM comment WHERE change_request_id = t.id AND status = 'open'",
    ),
    _counted(
        "comment",
        "replies",
        "replies",
        "SELECT count(*) FROM reply WHERE comment_id = t.id",
    ),
    _counted("cluster", "issues", "issues", "SELECT count(*) FROM issue WHERE cluster_id = t.id"),
    _counted(
        "cluster",
        "conversations",
        "conversations",
        "SELECT count(DISTINCT conversation_id) FROM issue WHERE cluster_id = t.id",
    ),
    _placed(
        "spaces and collections",
        "(SELECT organization_id, parent_id, position FROM space UNION ALL "
        "SELECT organization_id, parent_id, position FROM collection)",
        "coalesce('collection ' || parent_id, 'organization ' || organization_id)",
    ),
    _placed("sections", "site_section", "'site ' || site_id"),
    _placed("site spaces", "site_space", "coalesce('section ' || section_id, 'site ' || site_id)"),
    Rule(
        "space {id} would give its next change request the number {next_number}, "
        "but {number} is taken",
        "SELECT space.id, next_number, max(number) AS number FROM space "
        "JOIN change_request ON space_id = space.id GROUP BY space.id HAVING number >= next_number",
    ),
    Rule(
        "change request {id} says that it is of organization {organization_id}, "
        "its space is of {home}",
        "SELECT c.id, c.organization_id, space.organization_id AS home FROM change_request AS c "
        "JOIN space ON space.id = c.space_id WHERE home != c.organization_id",
    ),
    Rule(
        "comment {id} is on change request {change_request_id}, which is of another space",
        "SELECT comment.id, change_request_id FROM comment "
        "JOIN change_request AS c ON c.id = change_request_id WHERE c.space_id != comment.space_id",
    ),
    Rule(
        "{kind} {id} is in a collection of another organization",
        "SELECT 'space' AS kind, s.id FROM space AS s JOIN collection AS c ON c.id = s.parent_id "
        "WHERE c.organization_id != s.organization_id UNION ALL "
        "SELECT 'collection', s.id FROM collection AS s JOIN collection AS c ON c.id = s.parent_id "
        "WHERE c.organization_id != s.organization_id",
    ),
    Rule(
        "collection {id} is below itself",
        "WITH RECURSIVE below (id) AS (SELECT id FROM collection WHERE parent_id IS NULL "
        "UNION SELECT c.id FROM collection AS c JOIN below ON c.parent_id = below.id) "
        "SELECT id FROM collection WHERE id NOT IN (SELECT id FROM below)",
    ),
    Rule(
        "{kind} {id} names revision {revision}, which is not in its space",
        "SELECT * FROM ("
        "SELECT 'space' AS kind, id, id AS space_id, revision_id AS revision FROM space UNION ALL "
        "SELECT 'change request', id, space_id, revision_id FROM change_request UNION ALL "
        "SELECT 'change request', id, space_id, revision_initial FROM change_request UNION ALL "
        "SELECT 'change request', id, space_id, revision_merged_ancestor FROM change_request "
        "UNION ALL SELECT 'change request', id, space_id, revision_merged FROM change_request "
        "UNION ALL SELECT 'comment', id, space_id, revision_id FROM comment) AS named "
        "WHERE revision IS NOT NULL AND NOT EXISTS (SELECT 1 FROM revision AS r "
        "WHERE r.id = named.revision AND r.space_id = named.space_id)",
    ),
    Rule(
        "change request {id} is {status}, {but}",
        "SELECT id, status, CASE WHEN status = 'merged' THEN 'but nothing says as which revision' "
        "ELSE 'but it says that it was merged' END AS but FROM change_request "
        "WHERE (status = 'merged') != (revision_merged IS NOT NULL)",
    ),
    Rule(
        "comment {id} is {status}, and says that it was resolved at {resolved_at}",
        "SELECT id, status, coalesce(resolved_at, 'no time') AS resolved_at FROM comment "
        "WHERE (status = 'resolved') != (resolved_at IS NOT NULL)",
    ),
    Rule(
        "{found} reactions are to a comment or a reply that is not there",
        "SELECT count(*) AS found FROM reaction WHERE target_id NOT IN "
        "(SELECT id FROM comment UNION ALL SELECT id FROM reply) HAVING found",
    ),
    Rule(
        "{found} rights are on a space or a collection that is not there",
        "SELECT count(*) AS found FROM access_grant WHERE container_id NOT IN "
        "(SELECT id FROM space UNION ALL SELECT id FROM collection) HAVING found",
    ),
    Rule(
        "site {id} has sections, but its default is none of them",
        "SELECT id FROM site WHERE id IN (SELECT site_id FROM site_section) "
        "AND NOT EXISTS (SELECT 1 FROM site_section AS s "
        "WHERE s.site_id = site.id AND s.id = default_section_id)",
    ),
    Rule(
        "site {id} has sections and shows spaces beside them",
        "SELECT id FROM site WHERE id IN (SELECT site_id FROM site_section) "
        "AND id IN (SELECT site_id FROM site_space WHERE section_id IS NULL)",
    ),
    Rule(
        "{kind} {id} has site spaces, but its default is none of them",
        "SELECT 'section' AS kind, id FROM site_section "
        "WHERE id IN (SELECT section_id FROM site_space) AND NOT EXISTS "
        "(SELECT 1 FROM site_space AS s "
        "WHERE s.section_id = site_section.id AND s.id = default_site_space_id) UNION ALL "
        "SELECT 'site', id FROM site "
        "WHERE id IN (SELECT site_id FROM site_space WHERE section_id IS NULL) AND NOT EXISTS "
        "(SELECT 1 FROM site_space AS s WHERE s.site_id = site.id AND s.section_id IS NULL "
        "AND s.id = default_site_space_id)",
    ),
    Rule(
        "{kind} {id} has a default that is not there",
        # A default that is NULL is no default; NULL NOT IN () would be true.
        "WITH named(kind, id, section, place) AS ("
        "SELECT 'site', id, default_section_id, default_site_space_id FROM site UNION ALL "
        "SELECT 'section', id, NULL, default_site_space_id FROM site_section) "
        "SELECT kind, id FROM named WHERE section IS NOT NULL AND section NOT IN "
        "(SELECT id FROM site_section) OR place IS NOT NULL AND place NOT IN "
        "(SELECT id FROM site_space)",
    ),
    Rule(
        "site space {id} is in a section of another site",
        "SELECT p.id FROM site_space AS p JOIN site_section AS s ON s.id = p.section_id "
        "WHERE s.site_id != p.site_id",
    ),
    Rule(
        "site space {id} shows a space of another organization",
        "SELECT p.id FROM site_space AS p JOIN site ON site.id = p.site_id "
        "JOIN space ON space.id = p.space_id WHERE space.organization_id != site.organization_id",
    ),
    Rule(
        "nothing says that space {space_id} names the bytes {hash}",
        # Without that, they would go when another space that has them is removed.
        "SELECT * FROM (SELECT page.space_id, "
        "CASE WHEN json_valid(v.data) THEN json_extract(v.data, '$.text') END AS hash "
        "FROM page_version AS v JOIN page ON page.id = v.page_id UNION "
        "SELECT named.space_id, json_extract(file.value, '$.blob') FROM "
        "(SELECT DISTINCT space_id, tree_hash FROM revision) AS named "
        "JOIN tree ON tree.hash = named.tree_hash JOIN json_each("
        "CASE WHEN json_valid(tree.data) THEN tree.data ELSE '{}' END, '$.files') AS file) AS n "
        "WHERE hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM blob_name AS b "
        "WHERE b.hash = n.hash AND b.space_id = n.space_id)",
    ),
    Rule(
        "issue {id} is of conversation {conversation_id}, which is not there",
        "SELECT id, conversation_id FROM issue WHERE NOT EXISTS (SELECT 1 FROM conversation AS c "
        "WHERE c.organization_id = issue.organization_id AND c.id = issue.conversation_id)",
    ),
)
"""What holds besides what the tables themselves demand."""
