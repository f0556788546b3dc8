import CaptureModel
import CaptureTestSupport
import FolderStore
import Glibc
import PosixSupport
import StorageKit
import Testing

@Suite struct KeyRegistryFileTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
        unsafe chmod(folder.path, 0o755)
    }

    private func store() throws -> DocumentFile<[UInt8]> {
        try DocumentFile(.keys, in: folder.path, executor: try ThreadExecutor(name: "keys"), fault: disk.fault)
    }

    @Test func `The keys of a rig are the same after a restart`() async throws {
        #expect(try await store().read() == nil, "a rig that has none yet")
        try await store().replace(with: [1, 2, 3])
        #expect(try await store().read() == [1, 2, 3])
    }

    /// The steps of replacing the file: open, write, sync, rename, sync folder.
    @Test(arguments: 0..<5, [ENOSPC, EIO])
    func `A disk that fails leaves the keys before or the next ones, and is named`(step: Int, code: CInt) async throws {
        let store = try store()
        try await store.replace(with: [1])
        disk.fail(.once(at: step, code: code))
        let error = await #expect(throws: StorageError.self) { try await store.replace(with: [2]) }
        #expect(error?.code == (code == ENOSPC ? .noSpace : .inputOutput))
        #expect(error?.description.contains(folder.path) == true)
        disk.fail(nil)
        #expect([[1], [2]].contains(try await store.read()))
    }

    @Test(arguments: [0o666, 0o664, 0o646] as [mode_t])
    func `A file that others can write is refused with the command that mends it`(mode: mode_t) async throws {
        try folder.write([1], as: DocumentFormat.keys.fileName)
        let path = "\(folder.path)/keys.json"
        unsafe chmod(path, mode)
        let store = try store()
        let error = await #expect(throws: StorageError.self) { try await store.read() }
        #expect(error?.code == .corrupted && error?.description.contains("chmod go-w \(path)") == true)
        unsafe chmod(path, 0o644)
        #expect(try await store.read() == [1])
    }

    @Test func `A folder that others can write is refused`() async throws {
        unsafe chmod(folder.path, 0o777)
        let store = try store()
        let error = await #expect(throws: StorageError.self) { try await store.read() }
        #expect(error?.code == .corrupted && error?.subject == folder.path)
    }

    @Test func `A folder in the place of the file is refused`() async throws {
        unsafe mkdir("\(folder.path)/keys.json", 0o755)
        let store = try store()
        await #expect(throws: StorageError.self) { try await store.read() }
    }
}
