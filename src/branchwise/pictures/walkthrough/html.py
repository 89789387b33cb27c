"""A walk-through as a page: one frame at a time, by buttons, keys or a slider.

The page is self-contained. Without JavaScript it shows all frames, one below the other.
"""

from __future__ import annotations

from html import escape

from branchwise.pictures.walkthrough.captions import caption, ending, head, introduction, title
from branchwise.pictures.walkthrough.svg import STYLE, Picture, draw_frames, svg_head
from branchwise.pictures.walkthrough.walkthrough import Frame, Lecture

_PAGE_STYLE = (
    ":root{color-scheme:light dark;color:#212529;background:#fff}"
    "body{margin:0 auto;padding:1rem 1.25rem 2rem;max-width:88rem;font:15px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.35rem;margin:.2rem 0 .5rem}h2{font-size:1.1rem;margin:.4rem 0 .2rem}"
    "header p{margin:.2rem 0;max-width:72rem}"
    ".caption{margin:.1rem 0 .6rem;max-width:72rem;min-height:3em}"
    ".view{overflow-x:auto}.view svg{display:block;width:100%;min-width:46rem;height:auto}"
    ".end{font-weight:650;margin:.4rem 0 0}"
    ".frame{border-top:1px solid #868e9655;padding-top:.6rem;margin-top:1rem}"
    "nav{display:none}"
    ".js nav{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;position:sticky;top:0;z-index:1;"
    "padding:.5rem 0;background:inherit;background:Canvas}"
    "nav button{font:inherit;padding:.3rem .8rem;border:1px solid #868e96;border-radius:.4rem;"
    "background:#868e961f;color:inherit;cursor:pointer}"
    "nav button:hover:enabled{background:#868e9640}nav button:disabled{opacity:.4;cursor:default}"
    "nav input{flex:1;min-width:10rem;accent-color:#6741d9}nav output{min-width:8.5em;text-align:right}"
    ".js .frame{display:none;border:0;margin:0;padding:0}.js .frame.now{display:block}"
    "@media print{.js nav{display:none}.js .frame{display:block;break-inside:avoid}}"
    "@media (prefers-color-scheme:dark){:root{color:#e9ecef;background:#17191c}"
    ".js nav{background:#17191c}nav input{accent-color:#b197fc}}"
)
_SCRIPT = """
(() => {
  const frames = [...document.querySelectorAll(".frame")], last = frames.length - 1;
  const at = name => document.getElementById(name);
  const [back, play, next, slider, shown] = ["back", "play", "next", "slider", "shown"].map(at);
  let now = 0, timer = 0;
  const pause = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  const show = place => {
    now = Math.min(Math.max(place, 0), last);
    frames.forEach((frame, i) => frame.classList.toggle("now", i === now));
    slider.value = now;
    slider.setAttribute("aria-valuetext", frames[now].dataset.head);
    shown.textContent = `frame ${now + 1} of ${last + 1}`;
    back.disabled = now === 0;
    next.disabled = now === last;
    if (now === last) pause();
    try { history.replaceState(null, "", `#${now + 1}`); } catch { /* no history here */ }
  };
  const step = by => { pause(); show(now + by); };
  const toggle = () => {
    if (timer) return pause();
    if (now === last) show(0);
    timer = setInterval(() => show(now + 1), 4000);
    play.textContent = "Pause";
  };
  back.onclick = () => step(-1);
  next.onclick = () => step(1);
  play.onclick = toggle;
  slider.oninput = () => { pause(); show(+slider.value); };
  const keys = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => step(-last),
    End: () => step(last), PageUp: () => step(-4), PageDown: () => step(4), " ": toggle };
  document.onkeydown = event => {
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    const pressed = event.key === " " && event.target.closest("button");
    if (keys[event.key] && plain && !pressed) { event.preventDefault(); keys[event.key](); }
  };
  document.documentElement.classList.add("js");
  slider.max = last;
  show((parseInt(location.hash.slice(1)) || 1) - 1);
})();
"""


def walkthrough_page(lecture: Lecture) -> str:
    """Draw a lecture as a page; raises `SettingsError` for more than 64 simulations."""
    frames = "".join(
        _frame(frame, lecture, picture)
        for frame, picture in zip(lecture.frames, draw_frames(lecture), strict=True)
    )
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in introduction(lecture))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title(lecture))}</title>"
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_PAGE_STYLE}{STYLE}</style></head><body>"
        f"<header><h1>{escape(title(lecture))}</h1>{said}</header>"
        '<nav aria-label="Frames"><button id="back">Back</button><button id="play">Play</button>'
        '<button id="next">Next</button><input id="slider" type="range" min="0" value="0" aria-label="Frame">'
        '<output id="shown"></output></nav>'
        f"<main>{frames}</main>"
        f"<script>{_SCRIPT}</script></body></html>"
    )


def _frame(frame: Frame, lecture: Lecture, picture: Picture) -> str:
    heading = escape(head(frame))
    end = escape(ending(lecture)) if frame is lecture.frames[-1] else ""
    return (
        f'<section class="frame" data-head="{heading}"><h2>{heading}</h2>'
        f'<p class="caption">{escape(" ".join(caption(frame, lecture)))}</p>'
        f'<div class="view">{svg_head(picture, head(frame))}{picture.content}</svg></div>'
        + (f'<p class="end">{end}</p></section>' if end else "</section>")
    )
