"""Takes the pictures of the README and of the gallery anew, from a demo of its own."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gallery import Gallery
from oscar_shop import oscar_shop
from playwright.sync_api import sync_playwright

from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
SHOP, GATEWAY = "8100", "8101"
SHEET = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 28px; background: #e9ebf0 }
body { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; font: 500 17px system-ui, sans-serif }
figure { margin: 0 } figcaption { padding: 12px 4px 0; color: #3a4150 }
img { width: 100%; display: block; border-radius: 10px; box-shadow: 0 4px 18px #0003 }
</style>"""


def main(chromium: str) -> None:
    """Start the demo on ports of its own, walk through it, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder, 'shop.sqlite3')}"
        command = [sys.executable, "manage.py", "demo", "--port", SHOP, "--gateway-port", GATEWAY]
        command += ["--gateway-database", str(Path(folder, "gateway.sqlite3"))]
        demo = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": database, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert demo.stdout
            next(line for line in demo.stdout if "Ctrl-C" in line)
            with oscar_shop() as order, sync_playwright() as playwright:
                # Root has no sandbox to run Chromium in.
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                compose(browser, walk(browser))
                control = SandboxControl(f"http://127.0.0.1:{GATEWAY}")
                shop = f"http://127.0.0.1:{SHOP}"
                Gallery(browser=browser, shop=shop, control=control, oscars_order=order).take_all()
                browser.close()
        finally:
            demo.terminate()
            demo.wait(20)


def walk(browser: Browser) -> list[tuple[bytes, str]]:
    """Buy two things and give a picture of each station."""
    page = browser.new_page(viewport={"width": 1000, "height": 760}, device_scale_factor=1, locale="en")
    page.goto(f"http://127.0.0.1:{SHOP}/")
    for number in range(2):
        page.goto(f"http://127.0.0.1:{SHOP}/")
        page.locator("a[href^='/products/']").nth(3 * number).click()
        page.get_by_role("button", name="Put into the cart").click()
    page.goto(f"http://127.0.0.1:{SHOP}/checkout/address/")
    page.get_by_role("button", name="Use an example address").click()
    page.get_by_role("button", name="Order and go to the payment").click()
    page.locator(".wallet-button[data-wallet-state=ready]").wait_for()
    shots = [shot(page, "Two ways to pay on your shop's page")]
    page.locator(".wallet-button__place button").click()
    page.frame_locator("dialog iframe").locator("[data-pay][aria-disabled=false]").wait_for()
    shots.append(shot(page, "One way: the wallet's sheet (here: the sandbox's)"))
    page.frame_locator("dialog iframe").locator("[data-close]").click()
    page.locator(".wallet-checkout button").click()
    page.wait_for_url(f"http://127.0.0.1:{GATEWAY}/**")
    shots.append(shot(page, "The other: the gateway's page (here: the sandbox's)"))
    page.locator("button[name=outcome][value=success]").click()
    page.wait_for_url(f"http://127.0.0.1:{SHOP}/**")
    shots.append(shot(page, "Paid, because the gateway says so"))
    return shots


def shot(page: Page, caption: str) -> tuple[bytes, str]:
    """Take one picture."""
    page.wait_for_load_state("networkidle")
    return page.screenshot(), caption


def figure(png: bytes, text: str) -> str:
    """Give one picture with its caption as HTML."""
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<figure><img src="{source}"><figcaption>{text}</figcaption></figure>'


def compose(browser: Browser, shots: list[tuple[bytes, str]]) -> None:
    """Lay the pictures out, two by two."""
    figures = "".join(figure(png, text) for png, text in shots)
    page = browser.new_page(viewport={"width": 1500, "height": 590})
    page.set_content(SHEET + figures)
    page.screenshot(path=FOLDER / "journey.png", full_page=True)


if __name__ == "__main__":
    main(sys.argv[1])
