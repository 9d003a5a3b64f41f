"""The app against a gateway that is known from the interface document alone: see `tests.stub_gateway`."""
