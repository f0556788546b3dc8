import CaptureModel
import RigProtocol
import RigWire
import Testing

@testable import CapctlCommands
@testable import RigClient

@Suite struct AlignmentReportTests {
    private func outcome(_ id: String, _ alignment: CameraAlignment?) throws -> SessionOutcome {
        let device = try DeviceID(id)
        let condition = DeviceCondition(
            state: .running, session: SessionCondition(phase: .running, alignment: alignment))
        return SessionOutcome(device: device, result: .success(SessionResult(device: device, condition: condition)))
    }

    private func report(_ outcomes: [SessionOutcome], isOff: Bool = false) -> AlignmentReport {
        AlignmentReport(outcomes: outcomes, leftOut: nil, isOff: isOff)
    }

    private let good = CameraAlignment(state: .aligned, lateness: .microseconds(7), bound: .microseconds(40))
    private let fixed = CameraAlignment(
        state: .unmovable, reason: "only a restart moves its exposures", lateness: .milliseconds(-13),
        bound: .microseconds(40))

    @Test func `Each camera is shown with its phase, and one that cannot be moved with the reason`() throws {
        let report = report([
            try outcome("n1/cam1", good), try outcome("n1/cam2", fixed),
            try outcome("n2/cam1", CameraAlignment(state: .aligning, reason: "it does not stream")),
        ])
        #expect(
            report.table(TextLayout(width: 100)) == """
                CAMERA   ALIGNMENT  OFF BY                  REASON
                n1/cam1  aligned    7 µs late ± 40 µs
                n1/cam2  unmovable  13.00 ms early ± 40 µs  only a restart moves its exposures
                n2/cam1  aligning   -                       it does not stream

                """)
        #expect(report.status == .partial && report.names == ["n1/cam1"])
        #expect(report.failures == ["n1/cam2: only a restart moves its exposures", "n2/cam1: it does not stream"])
    }

    @Test func `The command is complete if all cameras are aligned, and has failed if none is`() throws {
        #expect(report([try outcome("n1/cam1", good)]).status == .complete)
        #expect(report([try outcome("n1/cam1", fixed)]).status == .failed)
    }

    @Test func `Switched off, cameras run free`() throws {
        let report = report([try outcome("n1/cam1", nil)], isOff: true)
        #expect(report.status == .complete && report.table(TextLayout(width: 80)).contains("free"))
        // An agent that does not know the command answers with the condition as it was.
        #expect(self.report([try outcome("n1/cam1", good)], isOff: true).status == .failed)
    }
}
