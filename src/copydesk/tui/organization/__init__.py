"""An organization: settings, members, teams, single sign-on."""
