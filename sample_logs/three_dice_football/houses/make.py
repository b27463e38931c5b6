"""The same throws as three houses would log them. Run by `make samples`; the profiles beside the logs are by hand."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import xlsxwriter

HERE = Path(__file__).parent
DICE = {"off1": "off1", "off2": "off2", "def": "def"}
FRENCH = {
    "site": "Établissement",
    "table": "Table n°",
    "gaming_day": "Journée",
    "throw_id": "Lancer",
    "seq": "Ordre",
    "round": "Manche",
    "thrown_at": "Heure du lancer",
    "called_at": "Heure de l’annonce",
    "stickperson": "Annonceur",
    "quarterback": "Lanceur",
    "ruling": "Décision",
    "no_roll_grounds": "Motif",
    "disputed": "Contesté",
    "rethrow_of": "Relance de",
    "dice_set": "Jeu de dés",
    "camera_ref": "Caméra",
}
FRENCH_DIE = {
    "left_table": "hors table",
    "rest": "repos",
    "resting_sides": "face d’appui",
    "observed": "face vue",
    "called": "face annoncée",
}
FRENCH_RULINGS = {"valid": "valide", "no_roll": "non lancé", "invalid": "invalide", "void": "annulé"}
FRENCH_RESTS = {
    "layout": "tapis",
    "cocked": "cassé",
    "chips": "jetons",
    "bank": "banque",
    "cup": "coupelle",
    "rail": "rebord",
    "on_die": "sur un dé",
    "off_table": "hors table",
}
YES_NO = {"yes": "oui", "no": "non"}


def base() -> list[dict[str, str]]:
    log = HERE / "base.csv"
    command = [str(Path(sys.executable).parent / "throwaudit"), "sample", "three-dice-football", "--events", "120"]
    subprocess.run([*command, "--seed", "21", "--error-rate", "0.15", "--out", str(log)], check=True)
    with log.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def american(stamp: str) -> str:
    return datetime.fromisoformat(stamp).strftime("%m/%d/%Y %I:%M:%S %p") if stamp else ""


def riverside(rows: list[dict[str, str]]) -> None:
    """An Excel log with a title, days as dates, times as American text, one cell for the called faces."""
    book = xlsxwriter.Workbook(str(HERE / "riverside.xlsx"), {"default_date_format": "mm/dd/yyyy"})
    book.set_properties({"created": datetime(2026, 3, 4)})
    book.add_worksheet("Read me").write(0, 0, "Throw log of the Riverside Casino. Questions: table games office.")
    sheet = book.add_worksheet("Throws")
    sheet.merge_range(0, 0, 0, 8, "RIVERSIDE CASINO · THREE DICE FOOTBALL · THROW LOG", book.add_format({"bold": True}))
    sheet.write(1, 0, "Pit 3, all shifts")
    plain = ["table", "seq", "throw_id", "round", "thrown_at", "called_at", "stickperson", "quarterback", "ruling"]
    titles = ["Table", "No.", "Roll ID", "Round", "Time of Throw", "Time of Call", "Stick", "QB", "Call"]
    plain += ["no_roll_grounds", "disputed", "rethrow_of", "dice_set", "camera_ref"]
    titles += ["Ground", "Disputed?", "Replaces", "Dice Set", "Camera"]
    own = ["die", "color", "hit_far_end", "left_table", "rest", "resting_sides", "observed"]
    header = ["Gaming Date", *titles, "Called", *(f"{die} {field}" for die in DICE for field in own), "Initials"]
    for place, title in enumerate(header):
        sheet.write_string(3, place, title)
    for at, row in enumerate(rows, start=4):
        sheet.write_datetime(at, 0, datetime.fromisoformat(row["gaming_day"]))
        for place, name in enumerate(plain, start=1):
            text = american(row[name]) if name.endswith("_at") else row[name]
            if name == "seq" and text:
                sheet.write_number(at, place, int(text))
            elif text:
                sheet.write_string(at, place, {"no_roll": "NR", "valid": "OK"}.get(text, text))
        called = [row[f"{die}_called"] for die in DICE]
        sheet.write_string(at, len(plain) + 1, "-".join(called) if all(called) else "")
        cells = [row[f"{die}_{field}"] for die in DICE for field in own]
        for place, text in enumerate(cells, start=len(plain) + 2):
            if text:
                sheet.write_string(at, place, text)
        sheet.write_string(at, len(header) - 1, "jd")
    book.close()


def lumiere(rows: list[dict[str, str]]) -> None:
    """A semicolon CSV in Windows-1252 with French names, words, days and times."""

    def written(name: str, text: str) -> str:
        if name.endswith("_at") and text:
            return datetime.fromisoformat(text).strftime("%d/%m/%Y %H:%M:%S")
        if name == "gaming_day":
            return date.fromisoformat(text).strftime("%d/%m/%Y")
        if name == "ruling":
            return FRENCH_RULINGS.get(text, text)
        return FRENCH_RESTS.get(text, text) if name.endswith("_rest") else YES_NO.get(text, text)

    names = {**FRENCH, **{f"{die}_{f}": f"{die} {word}" for die in DICE for f, word in FRENCH_DIE.items()}}
    with (HERE / "lumiere.csv").open("w", encoding="cp1252", newline="") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(names.values())
        out.writerows([written(name, row[name]) for name in names] for row in rows)


def northstar(rows: list[dict[str, str]]) -> None:
    """JSON Lines from a camera system: nested dice, instants in UTC."""
    with (HERE / "northstar.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            entry: dict[str, object] = {
                "event": {"id": row["throw_id"], "n": int(row["seq"]) if row["seq"] else None, "round": row["round"]},
                "at": {"thrown": row["thrown_at"], "called": row["called_at"] or None},
                "where": {"table": row["table"], "day": row["gaming_day"]},
                "who": {"stick": row["stickperson"], "qb": row["quarterback"]},
                "ruling": row["ruling"] or None,
                "no_roll_grounds": row["no_roll_grounds"].split("|") if row["no_roll_grounds"] else [],
                "rethrow_of": row["rethrow_of"] or None,
                "dice_set": row["dice_set"],
                "clip": row["camera_ref"],
                "dice": {
                    die: {
                        field: row[f"{die}_{field}"]
                        for field in ("die", "left_table", "rest", "resting_sides", "observed", "called")
                        if row[f"{die}_{field}"]
                    }
                    for die in DICE
                },
            }
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def main() -> None:
    rows = base()
    riverside(rows)
    lumiere(rows)
    northstar(rows)


if __name__ == "__main__":
    main()
