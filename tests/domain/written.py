"""Pages that several tests read."""

from __future__ import annotations

EVERYTHING = """\
# Title

Some **bold** ***both*** and `code` with [a link](x.md "t") and ![img](p.png). Next line\\
hard

![alone](a.png)

1. one

2. two

   - nested

     para

- [ ] todo
- [x] done

7. seven
8. eight

```python
x = 1

y
```

{% hint style="warning" %}
Careful **now**

{% hint style="info" %}
inner
{% endhint %}
{% endhint %}

> quote more

| a | b |
| :-- | --: |
| 1 \\| x | 2 |

<details>
<summary>x</summary>
hi
</details>

---

#### Deep

\\# not heading 1. foo snake_case \\<b> <b>raw</b>

1\\. not a list

\\- nor this"""


CARDS = (
    '<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target '
    'data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>Install</strong></td><td>How '
    'to install.</td><td><a href="install.md">install.md</a></td></tr><tr><td><strong>Use</strong>'
    '</td><td>How to use it.</td><td><a href="use.md">use.md</a></td></tr></tbody></table>\n'
)
