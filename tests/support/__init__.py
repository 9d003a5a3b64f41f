"""What tests of many folders share; what only one folder needs stands there.

- `shop`, `gateway`, `shop_fixtures`, `database_faults`: a shop whose gateway, clock, network, settings and
  database a test holds in its hand, for claims about money and pages without a server.
- `tables`, `refusals`, `problems`, `explanations`, `stored`: how a table of cases is carried out, and what is
  expected.
- `axe`, `chromium`, `contrast`, `exhaustive`, `still_pages`: pages in a browser.
- `local_server`, `static_host`, `asgi`, `threads`, `waiting`, `whole_order`: servers, threads, processes.
- `databases`, `leftovers`, `offline`, `workers`: plugins of pytest that hold for every test.
- `nameless_receivers`, `personal`, `processor_time`: hostile receivers, made-up people, linear time.
"""
