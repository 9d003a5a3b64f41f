"""A gateway written from the interface document alone: does the app need more than the document says?

It shares no code with the sandbox, which is made by the app's own protocol package, nor with that package.
Its habits (`habits`, `wrong`) are the freedoms the document leaves, and the faults it does not allow.
"""
