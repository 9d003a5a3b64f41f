"""Plants one fault at a time in the code that moves money, and looks whether a test notices.

This is code of the project's own, because the maintained packages do not reach what matters here. mutmut 3
changes the bodies of functions without decorators: tables of states and evidence, properties and what is
under a decorator stay as they are. Neither it nor cosmic-ray can be given faults that somebody has chosen,
and cosmic-ray starts all tests anew for each fault, not those that reach it.
"""
