import CaptureTestSupport
import Dispatch
import Glibc
import PosixSupport
import Testing

/// File systems that know neither `RENAME_NOREPLACE` nor links: what they refuse was measured with ntfs-3g, exfat-fuse, bindfs and mergerfs,
/// and `make check-file-systems` uses real ones.
@Suite struct FolderExclusiveTests {
    private let scratch: TemporaryFolder
    private let folder: Folder

    init() throws {
        scratch = try TemporaryFolder()
        folder = try Folder(opening: scratch.path)
    }

    /// What a file system refuses, and the steps of giving a file its name there.
    enum FileSystem: CaseIterable {
        case ext4, ntfs, nfs, exfat

        var refusals: [FileStep: CInt] {
            switch self {
            case .ext4: [:]
            case .ntfs: [.rename: EINVAL]
            case .nfs: [.rename: ENOSYS]
            case .exfat: [.rename: EINVAL, .link: EPERM]
            }
        }

        var steps: [FileStep] {
            switch self {
            case .ext4: [.rename]
            case .ntfs, .nfs: [.rename, .link]
            case .exfat: [.rename, .link, .renameLocked]
            }
        }
    }

    private func open(
        _ fileSystem: FileSystem, steps: Locked<[FileStep]> = Locked([])
    ) throws -> Folder {
        let refusals = fileSystem.refusals
        return try Folder(opening: scratch.path) { step, _ in
            steps.withLock { $0.append(step) }
            return refusals[step]
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file gets a free name on every file system, and replaces nothing`(_ fileSystem: FileSystem) throws {
        let steps = Locked<[FileStep]>([])
        let faulty = try open(fileSystem, steps: steps)
        try folder.write([[1]], to: "first")
        try folder.write([[2]], to: "second")
        try faulty.renameWithoutReplacing("first", to: "name")
        #expect(steps.withLock { $0 } == fileSystem.steps)
        #expect(try code { try faulty.renameWithoutReplacing("second", to: "name") } == EEXIST)
        #expect(try scratch.names() == ["name", "second"])
        #expect(try folder.read("name", limit: 9) == [1])
        #expect(try folder.read("second", limit: 9) == [2])
    }

    @Test(arguments: FileSystem.allCases)
    func `of several who want one name, one gets it`(_ fileSystem: FileSystem) throws {
        let faulty = try open(fileSystem)
        let winners = Locked<[UInt8]>([])
        for number in UInt8(0)..<16 { try folder.write([[number]], to: "file\(number)") }
        DispatchQueue.concurrentPerform(iterations: 16) { number in
            guard (try? faulty.renameWithoutReplacing("file\(number)", to: "name")) != nil else { return }
            winners.withLock { $0.append(UInt8(number)) }
        }
        let winner = winners.withLock { $0 }
        #expect(winner.count == 1)
        #expect(try folder.read("name", limit: 9) == winner)
        #expect(try scratch.names().count == 16)
    }

    @Test(arguments: FileSystem.allCases)
    func `a second name is a link, or a copy of the same bytes and permissions`(_ fileSystem: FileSystem) throws {
        let faulty = try open(fileSystem)
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        try folder.write([bytes], to: "file")
        #expect(unsafe chmod("\(scratch.path)/file", 0o640) == 0)
        try faulty.linkOrCopy("file", in: faulty, to: "other")
        #expect(try folder.read("other", limit: 4 << 20) == bytes)
        #expect(try folder.open("other", for: .reading).status().permissions == 0o640)
        #expect(try code { try faulty.linkOrCopy("file", in: faulty, to: "other") } == EEXIST)
        #expect(try scratch.names() == ["file", "other"])
    }

    @Test func `what is set aside replaces nothing that has its name`() throws {
        let faulty = try open(.exfat)
        for number in UInt8(1)...3 {
            try folder.write([[number]], to: "file")
            _ = try faulty.setAside("file", in: faulty, as: "aside")
        }
        #expect(try scratch.names() == ["aside", "aside.1", "aside.2"])
        #expect(try folder.read("aside.2", limit: 9) == [3])
    }

    @Test func `a start says which file system cannot be used, and what to configure`() throws {
        let unsuitable = try Folder(opening: scratch.path) { step, _ in step == .tryPublishing ? EINVAL : nil }
        let error = #expect(throws: UnsuitableFileSystem.self) {
            try unsuitable.checkPublishing(of: "the library", remedy: "set library.folder")
        }
        #expect(error?.description.hasSuffix("; set library.folder") == true)
        #expect(error?.description.hasPrefix("the file system of \(scratch.path) cannot hold the library") == true)
        for fileSystem in FileSystem.allCases {
            try open(fileSystem).checkPublishing(of: "the library", remedy: "")
        }
        #expect(try scratch.names() == [])
    }

    @Test(arguments: [ENOSPC, EROFS, EIO, EDQUOT])
    func `a disk that is full or broken at the start is reported by whoever uses it`(_ code: CInt) throws {
        let broken = try Folder(opening: scratch.path) { step, _ in step == .tryPublishing ? code : nil }
        try broken.checkPublishing(of: "the library", remedy: "")
    }

    private func code(_ work: () throws -> Void) throws -> CInt? {
        do {
            try work()
            return nil
        } catch let error as PosixError {
            return error.code
        }
    }
}
