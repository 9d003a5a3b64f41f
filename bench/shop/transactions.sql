-- The rows of a shop: half as many orders as transactions; each was reserved and captured, over three years,
-- four of five well. Up to two thousand are still reserved: their capture was refused, and nobody looked.
-- As many payments of an earlier provider as transactions. :orders is how many orders.

INSERT INTO wallet_gateway_paymentorder (reference, token, gateway, numbering, type, currency, exponent, amount_minor, order_number,
    language, content, content_hash, continue_url, redirect_when_paid, wallet_limit,
    cancelled_by, cancelled_by_account, cancellation_note, late_payment, state, version, created_at, updated_at)
SELECT 'ORDER-' || lpad(n::text, 7, '0'), 'token-' || n, 'default', '', 'preauthorization', CASE n % 10 WHEN 0 THEN 'USD' ELSE 'EUR' END, 2,
    1000 + n % 5000, 'NO-' || n, '', '{}', repeat('0', 64), '', false, '', '', '', '', '',
    CASE WHEN n % 5 = 0 THEN 'FAILED' WHEN n % greatest(:orders / 2000, 3) = 1 THEN 'AUTHORIZED' ELSE 'PAID' END, 1, t, t
FROM (SELECT n, now() - (n::float8 / :orders) * interval '3 years' AS t
      FROM generate_series(1, :orders) n) made;
INSERT INTO wallet_gateway_payment (order_id, number, reference, type, currency, exponent, amount_minor, authorized, captured,
    refunded, capture_reserved, refund_reserved, reversal, card_type, card_network, card_last_four, is_frozen, is_test, state,
    created_at)
SELECT id, 1, 'PAY-' || id, type, currency, exponent, amount_minor, CASE state WHEN 'FAILED' THEN 0 ELSE amount_minor END,
    CASE state WHEN 'PAID' THEN amount_minor ELSE 0 END, 0, 0, 0, 'none', '', '', '', false, false, state, created_at
FROM wallet_gateway_paymentorder;

INSERT INTO wallet_gateway_gatewaytransaction (payment_id, gateway, kind, origin, reference, payment_type, currency, exponent,
    amount_minor, approved_minor, excess_minor, query_priority, state, state_changed_at, attempt_no, holds_reservation, request_body, body_hash, redirect_url,
    poll_step, query_count, absent_count, needs_operator, decided_by_person, record_id, merchant_id, store_id,
    provider_transaction_id, provider_state, error_code, explanation_code, explanation_params, created_by,
    created_by_account, reason_code, comment, reported_id, undocumented_state, refusal_seen_by, refusal_seen_by_account,
    created_at)
SELECT id, 'default', kind, 'SHOP', CASE kind WHEN 'CHECKOUT' THEN reference ELSE 'CAP-' || lpad(id::text, 7, '0') END,
    CASE kind WHEN 'CHECKOUT' THEN type ELSE '' END, currency, exponent, amount_minor,
    CASE WHEN approved AND NOT stuck THEN amount_minor END, 0, 0,
    CASE WHEN stuck THEN 'UNKNOWN' WHEN approved THEN 'APPROVED' ELSE 'REJECTED' END,
    created_at + interval '1 minute', 1, false, '{}', '', '', 0, 0, 0, false, false, kind || id, 'M', 'S', '', '', '', '',
    '{}', '', '', '', '', '', '', '', '', created_at
FROM (SELECT *, kind = 'CAPTURE' AND id <= 20 AS stuck,
          state = 'PAID' OR (state = 'AUTHORIZED' AND kind = 'CHECKOUT') AS approved
      FROM wallet_gateway_payment, (VALUES ('CHECKOUT'), ('CAPTURE')) AS kinds(kind)) made;
INSERT INTO wallet_gateway_transactionevent (transaction_id, kind, lifecycle_event, state_after, discrepancy_kind,
    explanation_code, explanation_params, http_status, request_body, answer_body, elapsed_ms, created_by, created_by_account,
    occurred_at)
SELECT id, 'ANSWER', 'APPROVED', state, '', '', '{}', 200, '{}', '{}', 100 + id % 300, '', '', created_at
FROM wallet_gateway_gatewaytransaction;
INSERT INTO wallet_gateway_migrateddeposit (gateway, parent_transaction_id, is_known, currency, exponent, amount_minor,
    refunded_before, refunded, refund_reserved, is_frozen, transacted_at, transacted_at_text, provider_transaction_id, created_at)
SELECT 'default', 'OLD-' || lpad(n::text, 7, '0'), true, 'EUR', 2, 1000 + n % 5000, 0, 0, 0, false, now(), '',
    'PRV-' || lpad((2 * :orders - n)::text, 7, '0'), now()
FROM generate_series(1, 2 * :orders) n;
