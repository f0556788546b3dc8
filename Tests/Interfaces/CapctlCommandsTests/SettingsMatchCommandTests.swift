import CameraSettings
import CaptureModel
import RigDocuments
import RigMatching
import Testing

@testable import CapctlCommands

@Suite("Matching and locking on the command line")
struct SettingsMatchCommandTests {
    @Test func `Options are checked, and say what they accept`() throws {
        #expect(try MatchOptions.region("0.25,0.5,0.5,0.5") == PictureRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.5))
        for text in ["", "0,0,1", "0,0,0,1", "0.6,0,0.5,1", "nan,0,1,1", "0,0,1,1,1"] {
            #expect(throws: (any Error).self, "\(text)") { try MatchOptions.region(text) }
        }
        #expect(try MatchOptions.tolerance("3%") == 0.03 && MatchOptions.tolerance("0.5") == 0.005)
        for text in ["", "%", "0", "51%", "nan"] {
            #expect(throws: (any Error).self, "\(text)") { try MatchOptions.tolerance(text) }
        }
        #expect(try SettingsMatchCommand.card("gray") == MatchRequest.gray)
        #expect(try SettingsMatchCommand.card("grey") == MatchRequest.gray)
        #expect(try SettingsMatchCommand.card("0.36,0.21,0.1") == ColorMean(red: 0.36, green: 0.21, blue: 0.1))
        #expect(throws: (any Error).self) { try SettingsMatchCommand.card("red") }
    }

    @Test func `A report has a line for each camera with what remains, and its status`() throws {
        let report = MatchReport(
            MatchRequest(.card(MatchRequest.gray)),
            cameras: [
                MatchResult(device: try DeviceID("north/cam1"), outcome: .matched),
                MatchResult(
                    device: try DeviceID("north/cam2"), outcome: .notConverged("8.1 % remain after 5 iterations")),
            ])
        #expect(report.status == .partial)
        #expect(report.table.contains("8.1 % remain") && report.table.contains("1 of 2 matched within 3.0 %"))
        let json = try JSONText.document(report.document)
        #expect(json.contains("\"notConverged\"") && json.contains("\"kind\""))
    }
}
