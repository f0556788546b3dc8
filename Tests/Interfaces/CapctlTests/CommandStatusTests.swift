import CaptureModel
import RigClient
import Testing

@testable import CapctlCommands

@Suite struct CommandStatusTests {
    @Test(arguments: [
        (RigClientError.Code.noCoordinator, CommandStatus.noCoordinator), (.lostCoordinator, .noCoordinator),
        (.nothingSelected, .nothingSelected), (.refused("tooFarAhead"), .failed), (.malformedReply, .other),
    ])
    func everyFailureHasItsStatus(_ code: RigClientError.Code, _ status: CommandStatus) {
        #expect(
            CommandStatus(of: RigClientError(code, operation: "trigger", endpoint: "tcp://x", cause: "y")) == status)
    }

    @Test(arguments: [
        (Shot.Status.complete, CommandStatus.complete), (.partial, .partial), (.open, .partial), (.failed, .failed),
    ])
    func everyShotHasItsStatus(_ shot: Shot.Status, _ status: CommandStatus) {
        #expect(CommandStatus(of: shot) == status)
    }

    @Test func theDocumentedNumbersHold() {
        #expect(CommandStatus.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 64, 130])
    }
}
