"""What an order costs in rows, bytes and writes, and what the hot questions take when there are many orders.

No promise is judged here: `python -m bench.growth` prints the tables of docs/how-to/scaling.md. It makes
databases of its own on the PostgreSQL of `BENCH_POSTGRES_URL`, to which nothing else should write meanwhile.
"""
