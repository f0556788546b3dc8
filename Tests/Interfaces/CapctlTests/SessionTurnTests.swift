import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct SessionTurnTests {
    private func parse(_ arguments: String...) throws -> SessionTurnCommand? {
        try Capctl.parseAsRoot(["session", "turn", "n1/cam"] + arguments) as? SessionTurnCommand
    }

    @Test("What was not mentioned is changed along with what was")
    func parts() throws {
        let turned = try #require(try parse("--orientation", "180"))
        #expect(turned.orientation == .degrees180 && turned.mirrored == nil)
        let straight = try #require(try parse("--no-mirrored"))
        #expect(straight.orientation == nil && straight.mirrored == false)
    }

    @Test(arguments: [[], ["--orientation", "45"], ["--orientation", "left"], ["--mirrored", "yes"]])
    func aWrongCommandLineChangesNothing(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["session", "turn", "n1/cam"] + arguments) }
    }
}
