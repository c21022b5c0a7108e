"""Where models are published: what files a repository has, and at which addresses.

Hugging Face, or a mirror that speaks like it, is asked through `huggingface_hub`; ModelScope by its own short API.
Both say how large each file is and what its hash is, so that everything can be checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

import httpx2

from app.hub.catalogue import Package
from app.hub.checks import Digest
from app.hub.errors import HubError, OfflineError
from app.hub.retry import Busy, is_passing, wait_wanted

MODELSCOPE = "modelscope"
_MODELSCOPE_ENDPOINT = "https://www.modelscope.cn"
_MODELSCOPE_REVISION = "master"
_LISTING_S = 20.0
_LISTING_MOST_BYTES = 8 << 20


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository. `digest` None: the hub does not tell."""

    path: str
    size: int
    url: str
    digest: Digest | None = None


@dataclass(frozen=True)
class Listing:
    """The files of a repository at one commit, by their paths."""

    repo: str
    commit: str
    files: Mapping[str, RemoteFile]


class Source(Protocol):
    """A hub."""

    @property
    def name(self) -> str:
        """How it is called in sentences."""
        ...

    def listing(self, package: Package, client: httpx2.Client) -> Listing:
        """What the package's repository has. Raises HubError; Busy, httpx2.HTTPError or OSError where that may pass."""
        ...


class HuggingFace:
    """Hugging Face, or a mirror with the same API at `endpoint`."""

    def __init__(self, endpoint: str = "") -> None:
        self.endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")

    @property
    def name(self) -> str:
        return urlsplit(self.endpoint).netloc or self.endpoint

    def listing(self, package: Package, client: httpx2.Client) -> Listing:
        # It takes a while to import, and whoever downloads nothing never needs it.
        from huggingface_hub import HfApi, hf_hub_url
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

        if not package.huggingface:
            raise HubError(f"{package.title} is not published at {self.name}: choose another mirror.")
        # A token of the user's is no business of a mirror's, and all of this is public.
        api = HfApi(endpoint=self.endpoint, token=False)
        revision = package.huggingface_revision or None
        try:
            found = api.model_info(package.huggingface, revision=revision, files_metadata=True, timeout=_LISTING_S)
        except OfflineModeIsEnabled as error:
            raise OfflineError from error
        except HfHubHTTPError as error:
            _raise_status(error.response.status_code, package, self.name, error.response.headers, error)
        except HFValidationError as error:
            raise HubError(f"{package.huggingface} is no repository: correct it in the list of models.") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HubError(f"{self.name} did not answer as a model hub does: choose another mirror.") from error
        finally:
            _close_session()
        commit = found.sha or revision or "main"
        files = {}
        for one in found.siblings or ():
            digest = None
            if one.lfs is not None:
                digest = Digest("sha256", one.lfs.sha256)
            elif one.blob_id:
                digest = Digest("git", one.blob_id)
            url = hf_hub_url(package.huggingface, one.rfilename, revision=commit, endpoint=self.endpoint)
            files[one.rfilename] = RemoteFile(one.rfilename, _size(one.size), url, digest)
        return Listing(package.huggingface, commit, files)


class ModelScope:
    """ModelScope. Its revisions are not those of Hugging Face, so the newest is taken."""

    def __init__(self, endpoint: str = _MODELSCOPE_ENDPOINT) -> None:
        self.endpoint = endpoint.rstrip("/")

    @property
    def name(self) -> str:
        return urlsplit(self.endpoint).netloc or self.endpoint

    def listing(self, package: Package, client: httpx2.Client) -> Listing:
        repo = package.modelscope
        if not repo:
            raise HubError(f"{package.title} is not published at {self.name}: choose another mirror.")
        base = f"{self.endpoint}/api/v1/models/{quote(repo)}/repo"
        query = urlencode({"Revision": _MODELSCOPE_REVISION, "Recursive": "true"})
        with client.stream("GET", f"{base}/files?{query}", timeout=_LISTING_S) as answer:
            if answer.status_code != 200:
                _raise_status(answer.status_code, package, self.name, answer.headers, None)
            body = bytearray()
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > _LISTING_MOST_BYTES:
                    break
        try:
            entries = httpx2.Response(200, content=bytes(body)).json()["Data"]["Files"]
            files = {one["Path"]: self._file(base, one) for one in entries if one.get("Type") != "tree"}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HubError(f"{self.name} did not answer as a model hub does: choose another mirror.") from error
        return Listing(repo, _MODELSCOPE_REVISION, files)

    def _file(self, base: str, one: dict[str, Any]) -> RemoteFile:
        revision = one.get("Revision") or _MODELSCOPE_REVISION
        url = f"{base}?{urlencode({'Revision': revision, 'FilePath': one['Path']})}"
        digest = Digest("sha256", str(one["Sha256"]).lower()) if one.get("Sha256") else None
        return RemoteFile(str(one["Path"]), _size(one.get("Size")), url, digest)


def source_for(mirror: str) -> HuggingFace | ModelScope:
    """The hub that the setting `mirror` names: "" is Hugging Face (or what `HF_ENDPOINT` names), "modelscope", or the
    address of a mirror of Hugging Face. Raises HubError for anything else.
    """
    if mirror == MODELSCOPE:
        return ModelScope()
    if mirror and not is_address(mirror):
        raise HubError(f"{mirror} is no address of a mirror: it begins with https:// or http://.")
    return HuggingFace(mirror)


def is_address(text: str) -> bool:
    """Whether `text` can be the address of a mirror."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _raise_status(status: int, package: Package, hub: str, headers: Mapping[str, str], cause: Exception | None) -> None:
    if is_passing(status):
        raise Busy(f"{hub} is busy ({status}): try again later.", wait_wanted(headers)) from cause
    if status in (401, 403, 404, 410):
        raise HubError(f"{package.title} was not found at {hub} ({status}): choose another mirror.") from cause
    raise HubError(f"{hub} refused to tell about {package.title} ({status}): choose another mirror.") from cause


def _close_session() -> None:
    """Leave no connection open behind a question that is asked once in a while."""
    from huggingface_hub import utils

    # Versions before 1.0 keep none.
    getattr(utils, "close_session", lambda: None)()


def _size(value: int | None) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a file without a size")
    return value
