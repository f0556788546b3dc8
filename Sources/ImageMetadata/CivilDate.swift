/// A day of the proleptic Gregorian calendar.
struct CivilDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// Counts from 1970-01-01 as day 0.
    ///
    /// Years are taken to begin in March, so that the leap day is the last and month lengths repeat every five months;
    /// 400-year eras of 146097 days then make everything else exact integer division.
    init(daysSinceEpoch days: Int64) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
