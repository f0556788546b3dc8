import CaptureModel
import Testing

@Suite struct SpellingTests {
    private let names = ["north", "south", "exposureDuration", "exposureMode", "gain", "cam1", "cam2"]

    @Test(arguments: [
        ("nroth", "north"), ("nort", "north"), ("norths", "north"), ("sauth", "south"), ("NORTH", "north"),
        ("exposuremode", "exposureMode"), ("exposurDuratoin", "exposureDuration"), ("gian", "gain"), ("cam", "cam1"),
    ])
    func `A word with few mistakes is recognized, with two letters exchanged as one mistake`(
        word: String, meant: String
    ) {
        #expect(Spelling.nearest(to: word, among: names) == meant)
    }

    @Test(arguments: ["", "speed", "x", "shutter", "north", String(repeating: "n", count: 100_000)])
    func `A word that is right, or unlike all others, has no suggestion`(word: String) {
        #expect(Spelling.nearest(to: word, among: names) == nil)
    }

    @Test func `The nearest of several is suggested, and of equal ones the first`() {
        #expect(Spelling.nearest(to: "cam3", among: ["cam31", "cams", "cam1"]) == "cam31")
        #expect(Spelling.nearest(to: "exposureModes", among: ["exposureMade", "exposureMode"]) == "exposureMode")
        #expect(Spelling.nearest(to: "a", among: [String]()) == nil)
    }

    @Test func `The question follows the word in a sentence`() {
        #expect(Spelling.question(for: "nroth", among: names) == " (did you mean 'north'?)")
        #expect(Spelling.question(for: "west", among: names).isEmpty)
    }

    @Test func `A wrong selection says what may have been meant, and a wrong setting too`() throws {
        let existing = try ["north/cam1", "south/cam1"].map {
            DeviceDescription(id: try DeviceID($0), labels: ["face"], driver: "v4l2")
        }
        func told(_ unknown: String) -> String { EmptySelection(existing: existing, unknown: [unknown]).description }
        #expect(told("device 'north/cma1'").hasSuffix("\ndid you mean north/cam1?"))
        #expect(told("node 'nroth'").hasSuffix("\ndid you mean north?"))
        #expect(told("device with the label 'fcae'").hasSuffix("\ndid you mean face?"))
        #expect(!told("node 'west'").contains("did you mean"))
        #expect(throws: SettingsTextError.self) { try CaptureSettings(parsing: "exposrue=8ms") }
        do {
            _ = try CaptureSettings(parsing: "exposrue=8ms")
        } catch {
            #expect(
                "\(error)".contains("'exposrue' is not a setting (did you mean 'exposure'?); accepted: exposureMode"))
        }
    }
}
