import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct RosterFileTests {
    private let folder: TemporaryFolder
    private let file: RosterFile

    init() throws {
        folder = try TemporaryFolder()
        file = RosterFile(folder: try Folder.make(folder.path))
    }

    @Test("The cameras of a rig are other ones after a restart")
    func roundTrip() throws {
        #expect(try file.read().isEmpty, "a rig that has none yet")
        var device = try Samples.device("north/cam").description
        (device.labels, device.purpose, device.position) = (["a", "b"], "left eye", Position(rawValue: "left"))
        try file.write([device])
        #expect(try file.read() == [device])
        try file.write([])
        #expect(try file.read().isEmpty)
    }

    @Test(
        "A damaged roster is taken for an empty one, or the person is not told which file it is",
        arguments: ["", "{", "[]", #"{"schemaVersion":1}"#, #"{"schemaVersion":1,"devices":[{"id":"../x"}]}"#])
    func damaged(content: String) throws {
        try folder.write(Array(content.utf8), as: RosterFile.name)
        #expect { try file.read() } throws: { error in
            "\(error)".contains(RosterFile.name)
        }
    }

    @Test("A roster of a later version is read as this one's, and what it says is lost with the next write")
    func laterVersion() throws {
        try folder.write(Array(#"{"schemaVersion":2,"devices":[]}"#.utf8), as: RosterFile.name)
        #expect { try file.read() } throws: { error in
            "\(error)".contains(RosterFile.name) && "\(error)".contains("2")
        }
    }
}
