import CaptureModel
import CaptureTestSupport
import FolderStore
import Glibc
import PosixSupport
import StorageKit
import Testing

@Suite struct RosterDocumentTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func roster() throws -> DocumentFile<[DeviceDescription]> {
        try DocumentFile(.roster, in: folder.path, executor: try ThreadExecutor(name: "roster"), fault: disk.fault)
    }

    @Test("The cameras of a rig are the same after a restart")
    func roundTrip() async throws {
        #expect(try await roster().read() == nil, "a rig that has none yet")
        var device = DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual")
        (device.labels, device.purpose, device.position) = (["a", "b"], "left eye", Position(rawValue: "left"))
        try await roster().replace(with: [device])
        #expect(try await roster().read() == [device])
        try await roster().replace(with: [])
        #expect(try await roster().read() == [])
    }

    @Test(
        "A damaged roster is refused with its file and what to do",
        arguments: ["", "{", "[]", #"{"schemaVersion":1}"#, #"{"schemaVersion":1,"devices":[{"id":"../x"}]}"#])
    func damaged(content: String) async throws {
        try folder.write(Array(content.utf8), as: DocumentFormat.roster.fileName)
        let roster = try roster()
        let error = await #expect(throws: StorageError.self) { try await roster.read() }
        #expect(error?.code == .corrupted && error?.subject == "\(folder.path)/roster.json")
        #expect(error?.description.contains("\(folder.path)/roster.json") == true)
        #expect(error?.description.contains("restore it from a copy") == true)
    }

    @Test("A roster of a later version is refused, and stays as it is")
    func laterVersion() async throws {
        let content = Array(#"{"schemaVersion":2,"devices":[]}"#.utf8)
        try folder.write(content, as: DocumentFormat.roster.fileName)
        let roster = try roster()
        let error = await #expect(throws: StorageError.self) { try await roster.read() }
        #expect(error?.code == .corrupted && error?.description.contains("schema version 2") == true)
        #expect(try folder.read(DocumentFormat.roster.fileName) == content)
    }

    /// The steps of replacing the file: open, write, sync, rename, sync folder.
    @Test("A disk that fails leaves the roster before or the next one, and is named", arguments: 0..<5, [ENOSPC, EIO])
    func failingDisk(step: Int, code: CInt) async throws {
        let device = DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual")
        let roster = try roster()
        try await roster.replace(with: [])
        disk.fail(.once(at: step, code: code))
        let error = await #expect(throws: StorageError.self) { try await roster.replace(with: [device]) }
        #expect(error?.code == (code == ENOSPC ? .noSpace : .inputOutput))
        #expect(error?.description.contains(folder.path) == true)
        disk.fail(nil)
        #expect([[], [device]].contains(try await roster.read()))
    }

    @Test func `A file of an earlier program is written again bit for bit`() async throws {
        let content = """
            {
              "devices" : [
                {
                  "driver" : "virtual",
                  "id" : "node1/cam1",
                  "labels" : [
                    "test"
                  ],
                  "mediaType" : "video",
                  "orientation" : 0,
                  "position" : "left",
                  "purpose" : "A virtual camera of the test rig",
                  "type" : "wide"
                }
              ],
              "schemaVersion" : 1
            }
            """
        try folder.write(Array(content.utf8), as: DocumentFormat.roster.fileName)
        let store = try roster()
        try await store.replace(with: try #require(try await store.read()))
        #expect(String(decoding: try folder.read(DocumentFormat.roster.fileName), as: UTF8.self) == content)
    }
}
