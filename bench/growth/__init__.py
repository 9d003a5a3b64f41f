"""What an order costs in rows, bytes and writes, and what the hot questions take when there are many orders.

No promise is judged here: `python -m bench.growth` prints the tables of docs/how-to/scaling.md. It starts a
PostgreSQL of its own, whose WAL no other process writes, and leaves nothing behind.
"""
