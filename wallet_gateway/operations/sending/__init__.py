"""The handling of one request that moves money: when to send, when to retry, how to read the answer."""
