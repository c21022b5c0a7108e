"""The small line icons of the buttons, drawn for Banter on a grid of 24 and coloured by the theme."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_SHAPES = {
    "microphone": ('<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>'),
    "microphone-off": (
        '<path d="M9 9v2a3 3 0 0 0 4.6 2.5M15 9.5V6a3 3 0 0 0-5.7-1.3"/>'
        '<path d="M5.5 11.5a6.5 6.5 0 0 0 10.2 5.3M18.5 11.5a6.4 6.4 0 0 1-.5 2.5M12 18v3M4 4l16 16"/>'
    ),
    "stop": '<rect x="6.5" y="6.5" width="11" height="11" rx="2.5" fill="{colour}"/>',
    "send": '<path d="M12 20V5M5.5 11 12 4.5 18.5 11"/>',
    "waves": '<path d="M4 10.5v3M8 7.5v9M12 4.5v15M16 7.5v9M20 10.5v3"/>',
    "volume": '<path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6a9 9 0 0 1 0 12"/>',
    "mute": '<path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5"/>',
    "headset": (
        '<path d="M4.5 15v-3a7.5 7.5 0 0 1 15 0v3"/><rect x="3.5" y="13.5" width="4" height="6" rx="1.8"/>'
        '<rect x="16.5" y="13.5" width="4" height="6" rx="1.8"/>'
    ),
    "settings": (
        '<circle cx="12" cy="12" r="3"/><path d="M12 3v2.6M12 18.4V21M3 12h2.6M18.4 12H21M5.6 5.6l1.9 1.9'
        'M16.5 16.5l1.9 1.9M5.6 18.4l1.9-1.9M16.5 7.5l1.9-1.9"/><circle cx="12" cy="12" r="6.2"/>'
    ),
    "talk": (
        '<path d="M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-4.5 4v-4'
        'A2.5 2.5 0 0 1 4 13.5z"/>'
    ),
    "appearance": '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="{colour}"/>',
    "answers": '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
    "privacy": '<rect x="5" y="10.5" width="14" height="9.5" rx="2.5"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>',
    "bulb": ('<path d="M9.5 20.5h5M9.5 17.5v-1.7c0-.8-.4-1.4-1-2a5.8 5.8 0 1 1 7 0c-.6.6-1 1.2-1 2v1.7z"/>'),
    "desktop": '<rect x="3.5" y="4.5" width="17" height="12" rx="2.5"/><path d="M8.5 20h7M12 16.5V20"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "copy": '<rect x="9" y="9" width="11" height="11" rx="2.5"/><path d="M5 15V6.5A2.5 2.5 0 0 1 7.5 4H15"/>',
    "done": '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
    "again": '<path d="M4.5 5v5h5M4.9 9.8A7.8 7.8 0 1 1 4.5 14"/>',
    "sidebar": '<rect x="3.5" y="5" width="17" height="14" rx="3"/><path d="M9.5 5v14"/>',
    "new": '<path d="M12 5v14M5 12h14"/>',
    "clock": '<circle cx="12" cy="12" r="8"/><path d="M12 7.5V12l3 2"/>',
    "search": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>',
    "pause": '<path d="M9 6v12M15 6v12"/>',
    "model": ('<path d="M12 3.5 19.5 7.5v9L12 20.5l-7.5-4v-9zM4.5 7.5 12 11.5l7.5-4M12 11.5v9"/>'),
    "play": '<path d="M8.5 5.5v13l10-6.5z" fill="{colour}"/>',
    "wait": '<circle cx="6.5" cy="12" r="1" fill="{colour}"/><circle cx="12" cy="12" r="1" fill="{colour}"/>'
    '<circle cx="17.5" cy="12" r="1" fill="{colour}"/>',
    "export": '<path d="M12 14.5V4.5M7.5 8.5 12 4l4.5 4.5M5 17v2.5h14V17"/>',
    "file": '<path d="M7 3.5h6.5L18 8v12.5H7zM13.5 3.5V8H18"/>',
    "import": '<path d="M12 4v10M7.5 10 12 14.5 16.5 10M5 17v2.5h14V17"/>',
    "record": '<circle cx="12" cy="12" r="5.5" fill="{colour}"/>',
    "fair": '<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5v5M12 16v.2"/>',
    "bad": '<circle cx="12" cy="12" r="8.5"/><path d="M9 9l6 6M15 9l-6 6"/>',
    "good": '<circle cx="12" cy="12" r="8.5"/><path d="M8 12.3l2.8 2.8L16 9.5"/>',
    "unknown": '<circle cx="12" cy="12" r="8.5" stroke-dasharray="2.5 3"/>',
    "bell": '<path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4M12 3v2"/>',
    "timer": '<circle cx="12" cy="13.5" r="7"/><path d="M12 9.5v4l2.5 1.5M9.5 3.5h5M18 6.5l1.5 1.5"/>',
    "note": '<path d="M5 4.5h14v10L14 19.5H5zM14 19.5v-5h5M8.5 9h7M8.5 12.5h4"/>',
    "picture": (
        '<rect x="3.5" y="5" width="17" height="14" rx="2.5"/><circle cx="8.5" cy="9.7" r="1.4"/>'
        '<path d="M4 16.5l4.7-4.2 3.3 2.9 3.4-3.9 4.9 5.2"/>'
    ),
    "calendar": '<rect x="4" y="5.5" width="16" height="14" rx="2.5"/><path d="M4 10h16M8.5 3.5v4M15.5 3.5v4"/>',
    "sum": '<rect x="5" y="3.5" width="14" height="17" rx="2.5"/><path d="M8.5 7.5h7M8.5 12h.1M12 12h.1M15.5 12h.1'
    'M8.5 16h.1M12 16h.1M15.5 16h.1"/>',
    "swap": '<path d="M5 9h13M14.5 5.5 18 9l-3.5 3.5M19 15H6M9.5 11.5 6 15l3.5 3.5"/>',
    "dice": '<rect x="4.5" y="4.5" width="15" height="15" rx="3"/><path d="M9 9h.1M15 9h.1M12 12h.1"/>'
    '<path d="M9 15h.1M15 15h.1"/>',
    "cloud": '<path d="M7.5 18.5a4 4 0 0 1-.5-8 5.5 5.5 0 0 1 10.6 1.2 3.5 3.5 0 0 1-.6 6.8z"/>',
    "book": '<path d="M12 6.5C10 5 7.5 4.5 4.5 4.5v13c3 0 5.5.5 7.5 2 2-1.5 4.5-2 7.5-2v-13'
    'c-3 0-5.5.5-7.5 2zM12 6.5v13"/>',
    "gauge": '<path d="M4.5 17a8 8 0 1 1 15 0M12 14.5l3.5-5"/><circle cx="12" cy="15" r="1.2"/>',
    "launch": '<path d="M13.5 4.5h6v6M19.5 4.5l-8 8M16.5 14v4.5a1.5 1.5 0 0 1-1.5 1.5H6a1.5 1.5 0 0 1-1.5-1.5V9A1.5'
    ' 1.5 0 0 1 6 7.5h4.5"/>',
    "nothing": "",
    "more": ('<circle cx="5.5" cy="12" r=".9"/><circle cx="12" cy="12" r=".9"/><circle cx="18.5" cy="12" r=".9"/>'),
    "down": '<path d="M12 5v14M5.5 13 12 19.5 18.5 13"/>',
}


def icon(name: str, colour: str, size: int = 20) -> QIcon:
    """The icon `name` in `colour` ("#rrggbb"), sharp on screens of up to three times the density."""
    body = _SHAPES[name].replace("{colour}", colour)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="{colour}" '
        f'stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round">{body}</svg>'
    )
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    result = QIcon()
    for scale in (1, 2, 3):
        pixmap = QPixmap(QSize(size, size) * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size * scale, size * scale))
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        result.addPixmap(pixmap)
    return result
