"""Longer texts that change requests of the Platform guide bring in."""

REFRESH = """
## 3. Refresh

Access tokens live for one hour. Exchange the refresh token shortly before that:

```bash
curl https://api.quayside.example/v2/oauth/token \\
  -u "{CLIENT_ID}:{CLIENT_SECRET}" \\
  -d grant_type=refresh_token \\
  -d refresh_token={REFRESH_TOKEN}
```

The answer holds a new pair. Store it before you use it: the old refresh token stops working as soon
as the new access token is used for the first time.
"""

RATE_LIMITS = """
# Rate limits

Limits keep one busy loop from slowing down everybody else. They count per key and per second.

## How much

| Kind of request | Live | Sandbox |
| --- | --- | --- |
| Reads | 100 a second | 25 a second |
| Writes | 60 a second | 10 a second |
| Reports | 10 a minute | 5 a minute |

A burst of twice the limit is fine for up to three seconds.

## How you notice

Every answer says where you stand:

| Header | Means |
| --- | --- |
| `RateLimit-Limit` | how many you may send in this second |
| `RateLimit-Remaining` | how many are left |
| `Retry-After` | only with 429: how many seconds to wait |

## What to do

1. Wait as long as `Retry-After` says.
2. Add a random part of a second, so that your servers do not all come back together.
3. After five attempts give up and tell somebody. A queue is better than a loop.

```python
import random
import time


def wait(seconds: int) -> None:
    time.sleep(seconds + random.random())
```

Ask us for more before a launch: two working days are enough.
"""

REPLAY = """
# Replaying events

Your endpoint was down, or a bug swallowed a day of events. Send them again:

1. Open **Developers > Webhooks > Deliveries**.
2. Filter by time and by *undelivered*.
3. Choose **Send again**. Up to 10,000 events go out at once, oldest first.

Or ask for a range with the API:

```bash
curl -X POST https://api.quayside.example/v2/events/replay \\
  -H "Authorization: Bearer {SECRET_KEY}" \\
  -d from=2026-02-03T00:00:00Z \\
  -d to=2026-02-03T06:00:00Z
```

Replayed events keep their id, so whatever you have seen already is easy to skip.
"""

DEAD_LETTERS = """
# Undelivered events

An event that no attempt could deliver is kept for 30 days.

* The dashboard lists them under **Developers > Webhooks > Undelivered**.
* `GET /v2/events?delivered=false` does the same.
* Once a day we write to the address in **Settings > Team > Alerts**, if there are any.

Nothing is lost in those 30 days. After them, read the payment itself: its state is always right.
"""
