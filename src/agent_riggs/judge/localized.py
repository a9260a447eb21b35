# ruff: noqa: RUF001  (messages are quoted as they are printed)
"""The commonest messages of the operating system in other languages: one failure has one key whatever the locale."""

from __future__ import annotations

from typing import Final

_MISSING: Final = "No such file or directory"
_REFUSED: Final = "Permission denied"
_DIRECTORY: Final = "Is a directory"
_EXISTS: Final = "File exists"

_ENGLISH: Final[dict[str, str]] = {
    "Datei oder Verzeichnis nicht gefunden": _MISSING,
    "Aucun fichier ou dossier de ce type": _MISSING,
    "No existe el archivo o el directorio": _MISSING,
    "No existe el fichero o el directorio": _MISSING,
    "File o directory non esistente": _MISSING,
    "Arquivo ou diretório inexistente": _MISSING,
    "Ficheiro ou directoria inexistente": _MISSING,
    "Bestand of map bestaat niet": _MISSING,
    "Nie ma takiego pliku ani katalogu": _MISSING,
    "Нет такого файла или каталога": _MISSING,
    "Filen eller katalogen finns inte": _MISSING,
    "Böyle bir dosya ya da dizin yok": _MISSING,
    "没有那个文件或目录": _MISSING,
    "沒有此一檔案或目錄": _MISSING,
    "そのようなファイルやディレクトリはありません": _MISSING,
    "그런 파일이나 디렉터리가 없습니다": _MISSING,
    "指定されたファイルが見つかりません": _MISSING,
    "系统找不到指定的文件": _MISSING,
    "系统找不到指定的路径": _MISSING,
    "Das System kann die angegebene Datei nicht finden": _MISSING,
    "Das System kann den angegebenen Pfad nicht finden": _MISSING,
    "Le fichier spécifié est introuvable": _MISSING,
    "Le chemin d’accès spécifié est introuvable": _MISSING,
    "El sistema no puede encontrar el archivo especificado": _MISSING,
    "El sistema no puede encontrar la ruta especificada": _MISSING,
    "Não foi possível encontrar o arquivo especificado": _MISSING,
    "O sistema não pode encontrar o arquivo especificado": _MISSING,
    "Не удается найти указанный файл": _MISSING,
    "Keine Berechtigung": _REFUSED,
    "Permission non accordée": _REFUSED,
    "Permiso denegado": _REFUSED,
    "Permesso negato": _REFUSED,
    "Permissão negada": _REFUSED,
    "Toegang geweigerd": _REFUSED,
    "Brak dostępu": _REFUSED,
    "Отказано в доступе": _REFUSED,
    "权限不够": _REFUSED,
    "許可がありません": _REFUSED,
    "허가 거부": _REFUSED,
    "Zugriff verweigert": _REFUSED,
    "Accès refusé": _REFUSED,
    "Acceso denegado": _REFUSED,
    "拒绝访问": _REFUSED,
    "アクセスが拒否されました": _REFUSED,
    "Ist ein Verzeichnis": _DIRECTORY,
    "est un dossier": _DIRECTORY,
    "Es un directorio": _DIRECTORY,
    "是一个目录": _DIRECTORY,
    "ディレクトリです": _DIRECTORY,
    "Die Datei existiert bereits": _EXISTS,
    "Le fichier existe": _EXISTS,
    "El archivo ya existe": _EXISTS,
    "文件已存在": _EXISTS,
}
_FOREIGN: Final = (
    "Verzeichnis", "Berechtigung", "verweigert", "Das System", "Die Datei", "dossier", "fichier", "directorio",
    "denegado", "archivo", "esistente", "negato", "bestaat", "geweigerd", "katalogu", "finns inte",
)  # fmt: skip
"""A word of every message above that is plain ASCII: a text without them needs no second look."""


def in_english(text: str) -> str:
    """The text with such messages in the words the tables know; what stands around them stays as it is."""
    if text.isascii() and not any(word in text for word in _FOREIGN):
        return text
    for message, english in _ENGLISH.items():
        text = text.replace(message, english)
    return text
