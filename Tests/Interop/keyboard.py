"""A person who uses the page with the keyboard only."""

import re
import time

# What has the focus: its name as a screen reader says it, in short; whether the focus is shown, and can be seen.
FOCUSED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const label = element.getAttribute('aria-label') ?? document.getElementById(element.getAttribute('aria-labelledby'))?.textContent
        ?? element.labels?.[0]?.textContent ?? element.textContent;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
    const top = document.elementFromPoint(x, y);
    return {
        name: label.trim(), tag: element.localName, isInDialog: element.closest('dialog') !== null,
        isShown: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        isSeen: box.width > 0 && box.height > 0 && (element === top || element.contains(top) || (top?.contains(element) ?? false)),
    };
}"""


class Keyboard:
    def __init__(self, case, page):
        self.case, self.page = case, page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    @property
    def focused(self):
        """What has the focus; None if nothing has."""
        return self.page.evaluate(FOCUSED)

    @property
    def name(self):
        focused = self.focused
        return focused and focused["name"]

    def go(self, name, back=False, most=120):
        """Presses Tab until what has this name, a text or a pattern, has the focus. Whatever has it on the way shows it, and is not hidden."""
        pattern, passed = name if isinstance(name, re.Pattern) else re.compile(re.escape(name) + "$"), []
        for _ in range(most):
            self.press("Shift+Tab" if back else "Tab")
            focused = self.focused
            if focused is None:
                passed.append(None)  # from the last element to the first one, the focus passes the browser's own controls
                continue
            passed.append(focused["name"])
            self.case.assertTrue(focused["isShown"], f"the focus of {focused} is not shown")
            self.case.assertTrue(focused["isSeen"], f"{focused} is hidden or covered while it has the focus")
            if pattern.match(focused["name"]):
                return focused
        raise self.case.failureException(f"Tab does not reach {pattern.pattern}; it passes {passed}")

    def use(self, name, key="Enter", back=False):
        """Goes there and presses a key."""
        self.go(name, back)
        self.press(key)

    def fill(self, name, text, back=False):
        """Replaces the text of a field."""
        self.go(name, back)
        self.press("Control+a")
        self.type(text)

    def await_focus(self, name, seconds=5):
        """Until the focus is moved there."""
        pattern, deadline = name if isinstance(name, re.Pattern) else re.compile(re.escape(name) + "$"), time.monotonic() + seconds
        while not pattern.match(self.name or ""):
            self.case.assertLess(time.monotonic(), deadline, f"{self.focused} has the focus, not {pattern.pattern}")
            self.page.wait_for_timeout(50)
