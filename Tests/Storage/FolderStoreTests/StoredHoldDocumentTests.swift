import CaptureModel
import CaptureTestSupport
import FolderStore
import Glibc
import PosixSupport
import StorageKit
import Testing

@Suite struct StoredHoldDocumentTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() throws -> DocumentFile<StoredHold?> {
        try DocumentFile(.hold, in: folder.path, executor: try ThreadExecutor(name: "hold"), fault: disk.fault)
    }

    private func hold(_ note: String = "light") throws -> StoredHold {
        StoredHold(
            RigHold(
                holder: try #require(Principal(recorded: "anna", isAuthenticated: true)), note: note,
                taken: RigTime(nanoseconds: 1), ends: RigTime(nanoseconds: .max)),
            rigClock: RigClockID(rawValue: "rig-1"))
    }

    @Test func `A hold is the same after a restart, and a rig that nobody holds is free`() async throws {
        #expect(try await store().read() == nil)
        try await store().replace(with: try hold())
        #expect(try await store().read() == (try hold()))
        try await store().replace(with: nil)
        #expect(try await store().read() == .some(nil))
    }

    @Test(arguments: [
        "", "{", "[]", #"{"hold":null}"#, #"{"schemaVersion":2}"#, #"{"schemaVersion":1,"hold":{}}"#,
        #"{"schemaVersion":1,"hold":{"endsRigNanoseconds":2,"holder":"","isAuthenticated":true,"note":"","rigClock":"a","takenRigNanoseconds":1}}"#,
        #"{"schemaVersion":1,"hold":{"endsRigNanoseconds":2,"holder":"a","isAuthenticated":true,"note":"\n","rigClock":"a","takenRigNanoseconds":1}}"#,
        #"{"schemaVersion":1,"hold":{"endsRigNanoseconds":0,"holder":"a","isAuthenticated":true,"note":"","rigClock":"a","takenRigNanoseconds":1}}"#,
    ])
    func `A damaged file is named, with what follows`(content: String) async throws {
        try folder.write(Array(content.utf8), as: DocumentFormat.hold.fileName)
        let store = try store()
        let error = await #expect(throws: StorageError.self) { try await store.read() }
        #expect(error?.code == .corrupted && error?.subject == "\(folder.path)/hold.json")
        #expect(error?.description.contains("nobody holds the rig then") == true)
        try await store.replace(with: try hold())
        #expect(try await store.read() == (try hold()), "the next hold replaces it")
    }

    /// The steps of replacing the file: open, write, sync, rename, sync folder.
    @Test(arguments: 0..<5, [ENOSPC, EIO])
    func `A disk that fails leaves the hold before or the next one`(step: Int, code: CInt) async throws {
        let store = try store()
        try await store.replace(with: try hold("before"))
        disk.fail(.once(at: step, code: code))
        let error = await #expect(throws: StorageError.self) { try await store.replace(with: try hold("next")) }
        #expect(error?.code == (code == ENOSPC ? .noSpace : .inputOutput))
        disk.fail(nil)
        #expect(["before", "next"].contains(try await store.read()??.hold.note))
    }

    @Test func `A file of an earlier program is written again bit for bit`() async throws {
        let content = """
            {
              "hold" : {
                "endsRigNanoseconds" : 1862593046000,
                "holder" : "anna",
                "isAuthenticated" : true,
                "note" : "color charts",
                "rigClock" : "0f1d8a53-6d0c-4c8e-9b41-1f5b5a3c2e77",
                "takenRigNanoseconds" : 1262593046000
              },
              "schemaVersion" : 1
            }
            """
        try folder.write(Array(content.utf8), as: DocumentFormat.hold.fileName)
        let store = try store()
        try await store.replace(with: try #require(try await store.read()))
        #expect(String(decoding: try folder.read(DocumentFormat.hold.fileName), as: UTF8.self) == content)
    }
}
