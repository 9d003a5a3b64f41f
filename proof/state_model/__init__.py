"""The plugin's pure rules against a second, tiny set of rules, in random histories without a database."""
