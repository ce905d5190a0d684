//! How languages write dates: names of months and weekdays, and the order of the numbers. The data are from the
//! locales of the GNU C Library, which follow CLDR.

use pure_rust_locales as locales;

/// How one locale writes dates.
pub(crate) struct Locale {
    /// The primary subtag of the language.
    pub language: &'static str,
    /// The short form of a date, as a `strftime` format.
    pub short_date: &'static str,
    /// Names of months: first full and short names in the form used beside a day; then full and short names in the form
    /// used without a day, if it differs.
    pub months: [Option<&'static [&'static str]>; 4],
    /// Full and short names of weekdays.
    pub weekdays: [&'static [&'static str]; 2],
}

macro_rules! locales {
    ($($language:literal $($locale:ident)+;)+) => {
        &[$($(Locale {
            language: $language,
            short_date: locales::$locale::LC_TIME::D_FMT,
            months: [
                Some(locales::$locale::LC_TIME::MON),
                Some(locales::$locale::LC_TIME::ABMON),
                locales::$locale::LC_TIME::ALT_MON,
                locales::$locale::LC_TIME::AB_ALT_MON,
            ],
            weekdays: [locales::$locale::LC_TIME::DAY, locales::$locale::LC_TIME::ABDAY],
        },)+)+]
    };
}

/// The locales of glibc that name their months, with the primary subtag of their language. Chinese, Japanese and Korean
/// number their months.
pub(crate) const LOCALES: &[Locale] = locales! {
    "af" af_ZA; "an" an_ES; "ar" ar_EG ar_SY ar_TN ar_MA; "ast" ast_ES; "az" az_AZ; "be" be_BY; "bg" bg_BG; "bn" bn_BD bn_IN;
    "br" br_FR; "bs" bs_BA; "ca" ca_ES; "cs" cs_CZ; "cv" cv_RU; "cy" cy_GB; "da" da_DK; "de" de_DE de_AT; "el" el_GR;
    "en" en_GB; "eo" eo; "es" es_ES; "et" et_EE; "eu" eu_ES; "fa" fa_IR; "fi" fi_FI; "fil" fil_PH; "fo" fo_FO; "fr" fr_FR;
    "fy" fy_NL; "ga" ga_IE; "gd" gd_GB; "gl" gl_ES; "gu" gu_IN; "he" he_IL; "hi" hi_IN; "hr" hr_HR; "hsb" hsb_DE;
    "ht" ht_HT; "hu" hu_HU; "hy" hy_AM; "id" id_ID; "ig" ig_NG; "is" is_IS; "it" it_IT; "ka" ka_GE; "kk" kk_KZ; "km" km_KH;
    "kn" kn_IN; "ku" ku_TR; "ky" ky_KG; "lb" lb_LU; "lo" lo_LA; "lt" lt_LT; "lv" lv_LV; "mk" mk_MK; "ml" ml_IN; "mn" mn_MN;
    "mr" mr_IN; "ms" ms_MY; "mt" mt_MT; "my" my_MM; "nb" nb_NO; "nds" nds_DE; "ne" ne_NP; "nl" nl_NL; "nn" nn_NO;
    "oc" oc_FR; "pa" pa_IN pa_PK; "pl" pl_PL; "ps" ps_AF; "pt" pt_PT; "qu" quz_PE; "ro" ro_RO; "ru" ru_RU; "sgs" sgs_LT;
    "si" si_LK; "sk" sk_SK; "sl" sl_SI; "sq" sq_AL; "sr" sr_RS sr_RS_latin; "sv" sv_SE; "sw" sw_KE; "ta" ta_IN; "te" te_IN;
    "tg" tg_TJ; "th" th_TH; "tk" tk_TM; "tl" tl_PH; "tr" tr_TR; "tt" tt_RU; "ug" ug_CN; "uk" uk_UA; "ur" ur_PK;
    "uz" uz_UZ uz_UZ_cyrillic; "vi" vi_VN; "wa" wa_BE; "yi" yi_US; "yo" yo_NG;
};

/// The short forms of a date in a language, one for each locale, as `strftime` formats.
pub(crate) fn short_dates(language: &str) -> impl Iterator<Item = &'static str> {
    LOCALES.iter().filter(move |locale| locale.language == language).map(|locale| locale.short_date)
}

/// The short form of a date in the English of a country, as a `strftime` format.
pub(crate) fn short_english_date(country: &str) -> Option<&'static str> {
    let name = format!("en_{}", country.to_ascii_uppercase());
    let locale = locales::Locale::try_from(name.as_str()).ok()?;
    Some(locales::locale_match!(locale => LC_TIME::D_FMT))
}
