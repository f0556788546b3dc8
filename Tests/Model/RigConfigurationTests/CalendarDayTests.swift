import CaptureModel
import Testing

@Suite struct CalendarDayTests {
    @Test("Reads days that exist", arguments: ["2026-11-30", "2028-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func days(text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(
        "Refuses other texts",
        arguments: [
            "", "2026-11-31", "2026-13-01", "2026-00-10", "2026-01-00", "2027-02-29", "2100-02-29", "26-11-30",
            "2026-1-030", "2026-11-30 ", "+026-11-30", "2026/11/30", "２０２６-11-30",
        ])
    func others(text: String) {
        #expect(CalendarDay(text) == nil)
    }
}
