import Foundation
import RigDocuments
import Testing

@Suite struct RFC3339Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2026-11-21T10:15:43.25Z", 1_795_256_143_250_000_000),
        ("2026-11-21T11:15:43.250+01:00", 1_795_256_143_250_000_000),
        ("2026-11-21t10:15:43.25z", 1_795_256_143_250_000_000),
        ("2000-02-29T23:59:59.000000001Z", 951_868_799_000_000_001),
    ])
    func datesMeanTheirInstant(_ text: String, _ nanoseconds: Int64) {
        #expect(RFC3339.realtimeNanoseconds(text) == nanoseconds)
    }

    @Test(arguments: [
        "2026-11-21", "2026-11-21T10:15:43", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T10:15:60Z", "2026-11-21T10:15:43.Z", "2026-11-21T10:15:43.1234567891Z", "2026-11-21T10:15:43+1:00",
        "9999-12-31T23:59:59Z", "26-11-21T10:15:43Z", "tomorrow", "", "T", "2026-11-21T10:15:43Zx",
    ])
    func whatIsNoDateIsRefused(_ text: String) {
        #expect(RFC3339.realtimeNanoseconds(text) == nil)
    }

    @Test func datesAreWrittenAsTheyAreRead() {
        for nanoseconds in [0, 1, 951_868_799_000_000_001, 1_795_256_143_250_000_000, 4_102_444_800_999_999_999]
            as [Int64]
        {
            #expect(RFC3339.realtimeNanoseconds(RFC3339.text(realtimeNanoseconds: nanoseconds)) == nanoseconds)
        }
        #expect(RFC3339.text(realtimeNanoseconds: -1) == "1969-12-31T23:59:59.999999999Z")
    }

    @Test func theCalendarAgreesWithFoundation() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -106_000, through: 106_000, by: 997) {
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(day) * 86_400))
            let nanoseconds = Int64(day) * 86_400 * 1_000_000_000
            #expect(RFC3339.realtimeNanoseconds(text) == nanoseconds)
            #expect(RFC3339.text(realtimeNanoseconds: nanoseconds).prefix(19) == text.prefix(19))
        }
    }
}
