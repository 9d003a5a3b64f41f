"""django-oscar: orders are placed, then paid; payments and refunds are recorded in oscar's own tables.

Needs django-oscar 4.2. How to install it is in the guide "django-oscar".
"""
