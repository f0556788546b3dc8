import ArgumentParser
import Testing

@testable import CapctlCommands

@Suite struct CompletionTests {
    @Test(arguments: CompletionShell.allCases)
    func `Scripts of all shells ask for names of devices, nodes, shots and takes`(shell: CompletionShell) {
        let script = Capctl.completionScript(for: shell)
        for kind in CompleteCommand.Kind.allCases { #expect(script.contains("capctl complete \(kind.rawValue)")) }
    }

    @Test func `The command that completes reads its kind and the rig, and is not in the help`() throws {
        let words = ["complete", "shots", "--context", "studio"]
        let command = try #require(try Capctl.parseAsRoot(words) as? CompleteCommand)
        #expect(command.kind == .shots && command.rig.context == "studio")
        #expect(!Capctl.helpMessage().contains("complete "))
    }
}
