import ArgumentParser
import Testing

@testable import CapctlCommands

@Suite struct CompletionTests {
    @Test func asksTheRigThatTheCommandLineMeans() {
        let line = [
            "capctl", "devices", "show", "--context", "studio", "--format", "json", "--coordinator=tcp://rig:1", "",
        ]
        #expect(RigOptions.words(among: line) == ["--context", "studio", "--coordinator=tcp://rig:1"])
    }

    @Test func leavesOutAnOptionWhoseValueIsYetToBeWritten() {
        #expect(RigOptions.words(among: ["capctl", "trigger", "--admin"]).isEmpty)
    }

    @Test func completesNothingIfTheCommandLineCannotBeRead() async {
        let words = await CompletionKind.answer(["capctl", "--context", "a", "--admin", "b"]) { _ in ["never"] }
        #expect(words.isEmpty)
    }
}
