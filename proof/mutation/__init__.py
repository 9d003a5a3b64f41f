"""Plants one fault at a time in the code that moves money, and looks whether a test notices.

This is code of the project's own, because the maintained packages do not reach what matters here. mutmut
changes the bodies of functions without decorators: the tables of states and evidence, properties and
functions under a decorator stay as they are. cosmic-ray starts the tests anew for each of thousands of
faults, which takes some seconds each.
"""
