import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct IDReferenceTests {
    private let ids: [ShotID]

    init() throws {
        ids = try [
            "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50", "019a2c5e-7b5b-7c3e-9f0e-00000000beef",
            "019a2c60-0000-7c3e-9f0e-3d6c1a019a2c",
        ].map { try #require(ShotID($0)) }
    }

    private func resolved(_ text: String) throws -> ShotID {
        try ShotReference.argument(text).resolved(among: ids, .shot)
    }

    @Test func `An id is found by all of it, its beginning, and the six characters that the page shows`() throws {
        #expect(try resolved("019A2C5E-7B5A-7C3E-9F0E-3D6C1A2B4F50") == ids[0])
        #expect(try resolved("019a2c5e-7b5b") == ids[1])
        #expect(try resolved("019a2c60") == ids[2])
        #expect(try resolved("2B4F50") == ids[0])
        #expect(try resolved("00beef") == ids[1])
        #expect(try resolved("last") == ids[2])
    }

    @Test func `A part that several ids have names them, the newest first`() throws {
        let failure = #expect(throws: CommandFailure.self) { try resolved("019a2c5e") }
        #expect(failure?.status == .usage)
        #expect(failure?.message == "'019a2c5e' may be any of 2 shots: \(ids[1]), \(ids[0]); write more of the id")
        // The beginning of all, and the end of one.
        let both = #expect(throws: CommandFailure.self) { try resolved("019a2c") }
        #expect(both?.message.contains("any of 3 shots") == true)
    }

    @Test func `Of many candidates five are named`() throws {
        let many = try (0..<9).map { try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f5\($0)")) }
        let failure = #expect(throws: CommandFailure.self) {
            try ShotReference.argument("019a").resolved(among: many, .take)
        }
        #expect(
            failure?.message.hasSuffix("4f54 and 4 more; write more of the id") == true, "\(failure?.message ?? "")")
    }

    @Test func `What no id has is refused, with the command that lists them`() throws {
        let failure = #expect(throws: CommandFailure.self) { try resolved("beef") }
        #expect(failure?.status == .failed && failure?.message.contains("`capctl shots list`") == true)
        #expect(throws: CommandFailure.self) { try ShotReference.argument("last").resolved(among: [], .shot) }
    }

    @Test(arguments: ["", "2b4", "shots", "2b4f50 ", "019a2c5e-7b5a-4c3e-9f0e-3d6c1a2b4f50", "latest"])
    func `A text that cannot be an id is a wrong command line`(text: String) {
        #expect(throws: ValidationError.self) { try ShotReference.argument(text) }
    }

    @Test(arguments: [
        ["shots", "show"], ["shots", "get", "--to", "x"], ["shots", "edit", "--title", "t"], ["shots", "verify"],
        ["takes", "show"], ["takes", "edit", "--note", "n"], ["record", "stop"], ["watch"], ["export", "--to", "x"],
        ["settings", "undo"], ["settings", "cancel"],
    ])
    func `Every command that takes an id takes a part of it, and last`(command: [String]) throws {
        for reference in ["last", "2b4f50", "019a2c5e-7b", "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"] {
            _ = try Capctl.parseAsRoot(command + [reference])
        }
        _ = try Capctl.parseAsRoot(["shots", "list", "--before", "last"])
    }

    @Test(arguments: ["last", "2b4f50", "019a2c5e-7b"]) func `What is removed for good is named by a whole id`(
        reference: String
    ) throws {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["spool", "discard", "--shot", reference]) }
    }

    @Test func `Cameras are arguments of a trigger and of a take, as of a session`() throws {
        let trigger = try #require(
            try Capctl.parseAsRoot(["trigger", "left-arm/front", "left-arm/side"]) as? TriggerCommand)
        #expect(trigger.shot.cameras.selection.devices.map(\.description) == ["left-arm/front", "left-arm/side"])
        let record = try #require(try Capctl.parseAsRoot(["record", "start", "a/b"]) as? RecordStartCommand)
        #expect(record.cameras.selection == Selection(devices: [try DeviceID("a/b")]))
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger"]) }
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger", "left-arm"]) }
    }

    @Test(arguments: [
        (["tirgger", "--all"], "'capctl tirgger' is not a command; did you mean 'capctl trigger'?"),
        (["shots", "shwo", "last"], "'capctl shots shwo' is not a command; did you mean 'capctl shots show'?"),
        (["device"], "'capctl device' is not a command; did you mean 'capctl devices'?"),
    ])
    func `A misspelled command is told what may have been meant`(arguments: [String], sentence: String) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(arguments) }
        #expect(MisspelledCommand.found(in: arguments, of: Capctl.self)?.sentence == sentence)
    }

    @Test(arguments: [
        ["frobnicate"], ["trigger", "--al"], ["shots", "show"], [], ["--shots"], ["complet", "devices"],
    ])
    func `Nothing is suggested where the commands are right, nothing is near, or a command is hidden`(
        arguments: [String]
    ) {
        #expect(MisspelledCommand.found(in: arguments, of: Capctl.self) == nil)
    }
}
