//! Tests: dates as pages in many languages write them.

use goldminer_html::Page;

use super::*;

/// The date in a text on a page in this language.
fn read(language: &str, text: &str) -> Option<String> {
    let page = Page::parse(format!("<html lang='{language}'>"));
    normalised_as(text, &DateStyle::of(&page, Some(true)))
}

#[test]
fn days_are_read_in_many_languages() {
    for (language, text) in [
        ("af", "20 Mei 2024"),
        ("ar", "20 مايو 2024"),
        ("ar", "٢٠ مايو ٢٠٢٤"),
        ("ar", "20 أيار 2024"),
        ("ar", "20 مايو/أيار 2024"),
        ("ar", "الاثنين، 20 ماي 2024"),
        ("ar", "٢٠/٠٥/٢٠٢٤"),
        ("az", "20 may 2024-cü il"),
        ("be", "20 мая 2024"),
        ("bg", "20 май 2024 г."),
        ("bn", "২০ মে ২০২৪"),
        ("ca", "20 de maig de 2024"),
        ("cs", "20. května 2024"),
        ("cy", "20 Mai 2024"),
        ("da", "20. maj 2024"),
        ("de", "20. Mai 2024"),
        ("el", "20 Μαΐου 2024"),
        ("el", "20 ΜΑΪΟΥ 2024"),
        ("eo", "20-a de majo 2024"),
        ("es", "20 de mayo del 2024"),
        ("et", "20. mai 2024"),
        ("eu", "2024ko maiatzaren 20a"),
        ("fa", "۳۱ اردیبهشت ۱۴۰۳"),
        ("fa", "دوشنبه ۳۱ اردیبهشت ۱۴۰۳"),
        ("fa", "۱۴۰۳/۰۲/۳۱"),
        ("fa", "۲۰ مه ۲۰۲۴"),
        ("fi", "20. toukokuuta 2024"),
        ("fil", "Mayo 20, 2024"),
        ("fr", "20 mai 2024"),
        ("ga", "20 Bealtaine 2024"),
        ("gl", "20 de maio de 2024"),
        ("gu", "20 મે, 2024"),
        ("he", "20 במאי 2024"),
        ("hi", "20 मई 2024"),
        ("hi", "२० मई २०२४"),
        ("hr", "20. svibnja 2024."),
        ("hu", "2024. május 20."),
        ("hy", "20 մայիսի, 2024"),
        ("id", "20 Mei 2024"),
        ("is", "20. maí 2024"),
        ("it", "20 maggio 2024"),
        ("ja", "令和6年5月20日"),
        ("hu", "2024. V. 20."),
        ("ja", "２０２４年５月２０日"),
        ("ja", "二〇二四年五月二十日"),
        ("ja", "2024年5月20日"),
        ("ka", "20 მაისი, 2024"),
        ("kk", "2024 жылғы 20 мамыр"),
        ("kn", "20 ಮೇ 2024"),
        ("ko", "2024년 5월 20일"),
        ("lt", "2024 m. gegužės 20 d."),
        ("lv", "2024. gada 20. maijs"),
        ("lv", "2024. gada 20. maijā"),
        ("mk", "20 мај 2024"),
        ("ml", "20 മേയ് 2024"),
        ("mr", "२० मे २०२४"),
        ("ms", "20 Mei 2024"),
        ("mt", "20 ta’ Mejju 2024"),
        ("nb", "20. mai 2024"),
        ("nl", "20 mei 2024"),
        ("pa", "20 ਮਈ 2024"),
        ("pl", "20 maja 2024"),
        ("pt", "20 de maio de 2024"),
        ("ro", "20 mai 2024"),
        ("ru", "20 мая 2024 г."),
        ("sk", "20. mája 2024"),
        ("sl", "20. maja 2024"),
        ("sq", "20 maj 2024"),
        ("sr", "20. мај 2024."),
        ("sr", "20. maj 2024."),
        ("sv", "20 maj 2024"),
        ("sw", "20 Mei 2024"),
        ("ta", "20 மே 2024"),
        ("te", "20 మే 2024"),
        ("th", "20 พฤษภาคม 2567"),
        ("th", "20 พ.ค. 2567"),
        ("th", "20 พ.ค. 67"),
        ("th", "๒๐ พฤษภาคม พ.ศ. ๒๕๖๗"),
        ("th", "20/05/2567"),
        ("th", "20 พฤษภาคม 2024"),
        ("tr", "20 Mayıs 2024"),
        ("uk", "20 травня 2024"),
        ("ur", "20 مئی 2024"),
        ("uz", "2024-yil 20-may"),
        ("vi", "Ngày 20 tháng 5 năm 2024"),
        ("vi", "20 Tháng 05, 2024"),
        ("vi", "Tháng 5 20, 2024"),
        ("zh-TW", "民國113年5月20日"),
        ("en", "20 May '24"),
        ("en", "Mon May 20 2024 10:00:00 GMT+0200 (CEST)"),
    ] {
        let day = read(language, text).map(|written| written[..10].to_owned());
        assert_eq!(day.as_deref(), Some("2024-05-20"), "{language}: {text}");
    }
}

#[test]
fn every_month_name_of_a_language_means_its_month() {
    for (language, months) in [
        ("hr", "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"),
        ("cs", "ledna února března dubna května června července srpna září října listopadu prosince"),
        ("pl", "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
        ("lt", "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio"),
        ("lv", "janvāri februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī"),
        ("sr", "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra"),
        ("sk", "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"),
        ("tr", "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"),
        (
            "fi",
            "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta \
                lokakuuta marraskuuta joulukuuta",
        ),
        ("he", "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר"),
        ("fr", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
    ] {
        for (number, month) in (1..).zip(months.split_whitespace()) {
            let written = read(language, &format!("9. {month} 2024"));
            assert_eq!(written.as_deref(), Some(&*format!("2024-{number:02}-09")), "{language}: {month}");
        }
    }
}

#[test]
fn an_ambiguous_date_is_not_read() {
    for (language, text) in [
        ("", "20. listopada 2024"),
        ("en", "20 May 24 people came"),
        ("ur", "۱۴۴۵/۰۲/۳۱"),
        ("fa", "31 مهر 1403"),
        ("de", "31. Februar 2024"),
    ] {
        assert_eq!(read(language, text), None, "{language}: {text}");
    }
}

#[test]
fn machine_readable_dates_keep_their_precision_and_offset() {
    for (given, expected) in [
        ("2026-11-20", "2026-11-20"),
        ("2026-11-20T09:15:00+01:00", "2026-11-20T09:15:00+01:00"),
        ("2026-11-20T09:15:30.123Z", "2026-11-20T09:15:30Z"),
        ("2026-11-20T09:15+0100", "2026-11-20T09:15:00+01:00"),
        ("2026-11-20 09:15:00", "2026-11-20T09:15:00"),
        ("Fri, 20 Nov 2026 09:15:00 -0530", "2026-11-20T09:15:00-05:30"),
        ("20261120", "2026-11-20"),
        ("1795166100", "2026-11-20T09:15:00Z"),
        ("1795166100000", "2026-11-20T09:15:00Z"),
        ("/Date(1795166100000)/", "2026-11-20T09:15:00Z"),
        ("/Date(1795166100000+0100)/", "2026-11-20T09:15:00Z"),
        ("/Date(-416448000000-0500)/", "1956-10-21T00:00:00Z"),
        ("20261120091500", "2026-11-20T09:15:00"),
        ("202611200915", "2026-11-20T09:15:00"),
        ("20 Nov 26 09:15:00 GMT", "2026-11-20T09:15:00Z"),
        ("Mon May 20 10:00:00 CEST 2024", "2024-05-20T10:00:00+02:00"),
        ("Mon May 20 10:00:00 UTC 2024", "2024-05-20T10:00:00Z"),
        ("Mon May 20 10:00:00 CST 2024", "2024-05-20T10:00:00"),
        ("Mon May 20 10:00:00 +0200 2024", "2024-05-20T10:00:00+02:00"),
        ("Mon May 20 10:00:00 2024", "2024-05-20T10:00:00"),
        ("Mon May 20 2024 10:00:00 GMT+0200 (Central European Summer Time)", "2024-05-20T10:00:00+02:00"),
        ("Mon, 20 May 2024 10:00:00 CEST", "2024-05-20T10:00:00+02:00"),
        ("Mon, 20 May 2024 10:00:00 XYZ", "2024-05-20T10:00:00"),
        ("2024-05-20 10:00:00 +0200", "2024-05-20T10:00:00+02:00"),
        ("2024-05-20 10:00:00 -05:00", "2024-05-20T10:00:00-05:00"),
        ("2024-05-20 10:00:00 UTC", "2024-05-20T10:00:00Z"),
        ("1956-10-23", "1956-10-23"),
        ("1848-03-15", "1848-03-15"),
    ] {
        assert_eq!(normalised(given).as_deref(), Some(expected), "{given}");
    }
}

#[test]
fn dates_are_read_as_people_write_them() {
    for given in [
        "November 20, 2026",
        "Nov. 20th, 2026",
        "20 November 2026",
        "20. November 2026",
        "2026. november 20.",
        "2026.11.20.",
        "20.11.2026",
        "20. 11. 2026",
        "20/11/2026",
        "20 de noviembre de 2026",
        "20 novembre 2026",
        "20 ноября 2026",
        "20. listopadu 2026",
        "2026年11月20日",
        "2026/11/20",
        "Published on Friday, November 20, 2026 by Anna",
    ] {
        assert_eq!(normalised(given).as_deref(), Some("2026-11-20"), "{given}");
    }
    for given in ["Nov 20, 2026 9:15 am", "2026. november 20. 09:15", "20.11.2026, 09:15 Uhr", "20/11/2026 - 09:15:00"]
    {
        assert_eq!(normalised(given).as_deref(), Some("2026-11-20T09:15:00"), "{given}");
    }
}

#[test]
fn words_for_a_m_and_p_m_beside_a_time_count() {
    for (given, time) in [
        ("Nov 20, 2026 at 9:15 pm", "21:15"),
        ("Nov 20, 2026 9:15 p.m.", "21:15"),
        ("Nov 20, 2026, PM 9:15", "21:15"),
        ("Nov 20, 2026 12:15 a.m.", "00:15"),
        ("2026年11月20日 下午7:15", "19:15"),
        ("2026年11月20日 星期五 下午7:15", "19:15"),
        ("2026年11月20日上午12:15", "00:15"),
        ("2026年11月20日 晚上7点15分", "19:15"),
        ("2026年11月20日 19:15 下午", "19:15"),
        ("2026年11月20日 午後7時15分", "19:15"),
        ("2026年11月20日 7時15分", "07:15"),
        ("2026년 11월 20일 금요일 오후 7:15", "19:15"),
        ("2026년 11월 20일 오전 7시 15분", "07:15"),
        ("20 Νοεμβρίου 2026, 7:15 μμ", "19:15"),
        ("20 Νοεμβρίου 2026, 7:15 μ.μ.", "19:15"),
        ("20 نوفمبر 2026 7:15 مساءً", "19:15"),
        ("20 نوفمبر 2026 الساعة 7:15 م", "19:15"),
        ("20 نوفمبر 2026 م 7:15", "07:15"),
        ("20 नवंबर 2026, शाम 7:15", "19:15"),
        ("20 de noviembre de 2026, 7:15 de la tarde", "19:15"),
        ("20/11/2026 à 19h15", "19:15"),
        ("20 novembre 2026 à 7h15", "07:15"),
        ("20 de novembro de 2026 às 7h15", "07:15"),
        ("20 de noviembre de 2026 a 12:15", "12:15"),
    ] {
        let expected = format!("2026-11-20T{time}:00");
        assert_eq!(normalised(given), Some(expected), "{given}");
    }
}

#[test]
fn a_time_is_read_as_the_language_writes_it() {
    for (given, time) in [
        ("2026年11月20日 7時5分", "07:05:00"),
        ("2026年11月20日（金）7時", "07:00:00"),
        ("2026年11月20日 15时20分08秒", "15:20:08"),
        ("2026년 11월 20일 오후 3시", "15:00:00"),
        ("20. November 2026, 10.30 Uhr", "10:30:00"),
        ("20.11.2026 10.30", "10:30:00"),
        ("Freitag, 20. November 2026, 7 Uhr", "07:00:00"),
        ("20 novembre 2026 à 7h", "07:00:00"),
        ("20.11.2026 klo 9.30", "09:30:00"),
        ("20. november 2026 kl. 10.30", "10:30:00"),
        ("20 november 2026 om 10.30 uur", "10:30:00"),
        ("November 20, 2026 at 3 p.m.", "15:00:00"),
        ("November 20, 2026 3pm ET", "15:00:00"),
        ("7:15 PM, 20 November 2026", "19:15:00"),
        ("09:15 | 20.11.2026", "09:15:00"),
        ("9:15 Uhr am 20. November 2026", "09:15:00"),
        ("20 November 2026 10:00 GMT", "10:00:00Z"),
        ("20 November 2026 10:00 (UTC+3)", "10:00:00+03:00"),
        ("20 November 2026 10:00 GMT-5:30", "10:00:00-05:30"),
        ("November 20, 2026 | 10:00 PM EST", "22:00:00-05:00"),
        ("20 November 2026 10:00 - 12:00", "10:00:00"),
        ("20 November 2026 10:00-12:00", "10:00:00"),
        ("20 de noviembre de 2026, 3:30 p. m. CET", "15:30:00+01:00"),
        ("20 November 2026 10:00 West Ham", "10:00:00"),
    ] {
        assert_eq!(normalised(given), Some(format!("2026-11-20T{time}")), "{given}");
    }
    for given in [
        "20 November 2026, 3 min read",
        "20 November 2026 | 4.5 stars",
        "20.11.2026, 21.11.2026",
        "20 November 2026, 5 a day",
        "7 | 20 November 2026",
        "25:10, 20 November 2026",
        "20 November 2026, version 2.10",
    ] {
        assert_eq!(normalised(given).as_deref(), Some("2026-11-20"), "{given}");
    }
}

#[test]
fn a_year_of_two_digits_counts_where_a_date_is_expected() {
    let found = |language: &str, line: &str| {
        let page = Page::parse(format!("<html lang={language}><h1>A bridge opens</h1><p>{line}</p><p>It rained."));
        crate::metadata::of_page(&page, None).published
    };
    for (language, line) in [
        ("de", "Di 24.11.26"),
        ("de", "Veröffentlicht am 24.11.26"),
        ("fr", "Publié le 24/11/26"),
        ("it", "24/11/26"),
        ("pl", "24.11.26"),
        ("ru", "24.11.26"),
        ("tr", "24.11.26"),
        ("pl", "24 XI 2026"),
        ("hu", "2026. XI. 24."),
        ("zh", "二〇二六年十一月二十四日"),
        ("zh", "二零二六年十一月二十四日"),
        ("de", "Veröffentlicht am 24.11.26."),
    ] {
        assert_eq!(found(language, line).as_deref(), Some("2026-11-24"), "{language}: {line}");
    }
    for (language, line) in [
        ("de", "Die neue Version 24.11.26 der Brücke ist da"),
        ("de", "Version 24.11.26"),
        ("de", "24.11.26.30"),
        ("fr", "06.45.24.11.10"),
        ("zh", "二〇二六年十一月二四日"),
        ("hu", "24.11.26"),
        ("ja", "24.11.26"),
        ("fr", "24/11-26"),
        ("de", "24.13.26"),
    ] {
        assert_eq!(found(language, line), None, "{language}: {line}");
    }
}

#[test]
fn texts_without_a_clear_date_give_none() {
    for given in [
        "",
        "yesterday",
        "03/04/2026",
        "2026",
        "0001-01-01T00:00:00Z",
        "1970-01-01",
        "1970-01-01T00:00:00Z",
        "0",
        "0000000000",
        "1799-12-31",
        "20261320091500",
        "/Date()/",
        "2026-13-45",
        "20 November",
        "12345",
    ] {
        assert_eq!(normalised(given), None, "{given}");
    }
}

#[test]
fn dates_in_urls_are_read() {
    for (path, expected) in [
        ("/news/2026/11/20/bridge.html", Some("2026-11-20")),
        ("/2026-11-20-bridge", Some("2026-11-20")),
        ("/bridge_20261120.html/", Some("2026-11-20")),
        ("/t20261120_7.html", Some("2026-11-20")),
        ("/2026/1120/c1001-7.html", Some("2026-11-20")),
        ("/202611/20/bridge", Some("2026-11-20")),
        ("/y2026/m11/d20/bridge", Some("2026-11-20")),
        ("/2026.11.20.bridge", Some("2026-11-20")),
        ("/2026/1/2/bridge", Some("2026-01-02")),
        ("/2026/1120345/bridge", None),
        ("/20/26/1120/bridge", None),
        ("/2026/1350/bridge", None),
        ("/id12345678/bridge", None),
        ("/news/20261120/bridge", Some("2026-11-20")),
        ("/2026/11/bridge", None),
        ("/é/2026/11/20", Some("2026-11-20")),
    ] {
        assert_eq!(in_path(path).as_deref(), expected, "{path}");
    }
}
