"""The sweep in several Celery workers over RabbitMQ: how far more of them help, and a busy database.

No promise is judged here: `python -m bench.sweepers` prints the tables of docs/how-to/scaling.md.
"""
