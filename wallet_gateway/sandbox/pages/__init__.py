"""How sandbox pages look to a person: pure presentation in the page's language, with no rows and no clock."""
