import unittest

from windie_training import charset


class Charset(unittest.TestCase):
    def test_every_character_has_one_class(self):
        self.assertEqual(len(set(charset.CHARS)), len(charset.CHARS))
        self.assertEqual(charset.fold(charset.CHARS), charset.CHARS)

    def test_alphabets_come_back(self):
        for text in ("Сохранить как", "Да он", "Ελλάδα ΟΚ", "Știri și ță", "Åtgärd 12 €", "Şifre değiştir", "Ctrl+C", "Файл README.md", "ΓΕΩΡΓΙΟΣ ΠΑΦΟΣ", "ГЛАВА ФП", "кућа", "ÐÓRÐUR þú", "Đorđe", "5 μm", "μετά", "сор в избе"):
            folded = charset.fold(text)
            self.assertTrue(charset.known(folded), text)
            self.assertEqual(charset.unfold(folded), text)

    def test_letters_that_are_not_told_apart_are_one_for_each_word(self):
        for text, want in (
            ("cp [选项]... 源 目录", f"cp [{charset.CJK}]... {charset.CJK} {charset.CJK}"),
            ("シフト3回", f"{charset.CJK}3{charset.CJK}"),
            ("حفظ باسم", f"{charset.RIGHT_TO_LEFT} {charset.RIGHT_TO_LEFT}"),
            ("सहेजें OK", f"{charset.OTHER} OK"),
            ("बไ한", charset.OTHER + charset.CJK),
        ):
            self.assertEqual(charset.fold(text), want)
            self.assertTrue(charset.known(text))
        c = charset.INDEX[charset.CJK]
        self.assertEqual(charset.decode([c, c, 0, c, 0, 0, c]), charset.CJK)

    def test_repetitions_are_one_letter_and_blanks_separate(self):
        a, b = charset.encode("ab")
        self.assertEqual(charset.decode([0, a, a, 0, a, b, b, 0]), "aab")


if __name__ == "__main__":
    unittest.main()
