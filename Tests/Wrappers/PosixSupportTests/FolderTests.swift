import CaptureTestSupport
import Dispatch
import Glibc
import PosixSupport
import Testing

@Suite struct FolderTests {
    let scratch: TemporaryFolder
    let folder: Folder

    init() throws {
        scratch = try TemporaryFolder()
        folder = try Folder(opening: scratch.path)
    }

    @Test(arguments: ["..", ".", "", "a/b", "/etc/passwd", "../x", "a\0b", String(repeating: "n", count: 256)])
    func `a name that leads elsewhere is refused everywhere`(_ name: String) throws {
        let operations: [() throws -> Void] = [
            { _ = try folder.open(name, for: .reading) },
            { try folder.publish([[1]], as: name) },
            { try folder.write([[1]], to: name) },
            { try folder.remove(name) },
            { _ = try folder.folder(name) },
            { _ = try folder.makeFolder(name) },
            { _ = try folder.entry(name) },
            { try folder.rename("present", to: name) },
            { try folder.rename(name, to: "other") },
        ]
        try scratch.write("x", to: "present")
        for operation in operations {
            let error = #expect(throws: PosixError.self) { try operation() }
            #expect(error?.code == EINVAL)
        }
        #expect(try scratch.names() == ["present"])
    }

    @Test func `a folder that was opened to add files gets them, and is made durable through one of them`() throws {
        let adding = try Folder(addingTo: scratch.path)
        let file = try adding.open("new.part", for: .writing)
        try file.write([1, 2])
        try file.sync()
        try adding.rename("new.part", to: "new")
        try file.syncFileSystem()
        #expect(try scratch.names() == ["new"])
        #expect(try code { try adding.sync() } == EBADF)
    }

    @Test func `whether files may be added is told without opening the folder`() throws {
        for listing in [true, false] {
            #expect(Folder.refusal(toAddTo: scratch.path, listing: listing) == nil)
            #expect(Folder.refusal(toAddTo: scratch.path + "/absent", listing: listing)?.code == ENOENT)
        }
        // Nothing is refused to root.
        guard geteuid() != 0 else { return }
        for (mode, adds, lists) in [(0o300, true, false), (0o500, false, false), (0o700, true, true)]
            as [(mode_t, Bool, Bool)]
        {
            #expect(unsafe chmod(scratch.path, mode) == 0)
            #expect((Folder.refusal(toAddTo: scratch.path, listing: false) == nil) == adds)
            #expect((Folder.refusal(toAddTo: scratch.path, listing: true) == nil) == lists)
        }
    }

    @Test func `a symbolic link does not lead out of the tree`() throws {
        _ = unsafe symlink("/etc", "\(scratch.path)/folder")
        _ = unsafe symlink("/etc/hostname", "\(scratch.path)/file")
        #expect(try code { _ = try folder.folder("folder") } == ENOTDIR)
        #expect(try code { _ = try folder.open("file", for: .reading) } == ELOOP)
        #expect(try code { _ = try folder.open("file", for: .writing) } == ELOOP)
        #expect(try folder.entry("file")?.kind == .other)
        #expect(try code { _ = try folder.makeFolder("folder") } == ENOTDIR)
    }

    @Test func `a named pipe in the way does not hang the reader`() throws {
        _ = unsafe mkfifo("\(scratch.path)/pipe", 0o600)
        #expect(try folder.read("pipe", limit: 100) == [])
    }

    @Test func `published bytes are all there and nothing is left over`() throws {
        try folder.publish([[1, 2], [], [3]], as: "file")
        #expect(try folder.read("file", limit: 3) == [1, 2, 3])
        try folder.publish([[9]], as: "file")
        #expect(try folder.read("file", limit: 3) == [9])
        #expect(try scratch.names() == ["file"])
    }

    @Test func `a file without a name is written and read, and is gone when nobody has it open`() throws {
        let file = try folder.createUnnamed()
        try file.write([1, 2, 3])
        #expect(try file.read(at: 1, count: 9) == [2, 3])
        #expect(try file.status().permissions == 0o600)
        #expect(try scratch.names() == [])
        let other = try folder.createUnnamed()
        #expect(try other.byteCount() == 0)
    }

    @Test func `bytes are durable before their name, and the name before the return`() throws {
        let disk = FaultyDisk()
        try Folder(opening: scratch.path, fault: disk.fault).publish([[1], [2]], as: "file")
        #expect(disk.steps == [.open, .write, .write, .syncFile, .rename, .syncFolder])
    }

    @Test(arguments: 0..<6) func `a failed publish keeps the old content and leaves no litter`(_ step: Int) throws {
        try folder.publish([[1]], as: "file")
        let disk = FaultyDisk()
        let faulty = try Folder(opening: scratch.path, fault: disk.fault)
        disk.fail(.once(at: step, code: ENOSPC))
        #expect(try code { try faulty.publish([[2], [3]], as: "file") } == ENOSPC)
        #expect(try scratch.names() == ["file"])
        #expect(try folder.read("file", limit: 9) == (step == 5 ? [2, 3] : [1]))
    }

    @Test func `reading beyond the end or an absurd amount gives what there is`() throws {
        try folder.write([[1, 2, 3]], to: "file")
        let file = try folder.open("file", for: .reading)
        #expect(try file.read(at: 1, count: .max) == [2, 3])
        #expect(try file.read(at: 3, count: 10) == [])
        #expect(try file.read(at: .max, count: .max) == [])
        #expect(try code { _ = try file.read(at: -1, count: 1) } == EINVAL)
        #expect(try code { _ = try file.read(at: 0, count: -1) } == EINVAL)
        #expect(try code { _ = try folder.read("file", limit: 2) } == EFBIG)
    }

    @Test func `a path of missing folders is made, relative or not, and opened again`() throws {
        let made = try Folder.make("\(scratch.path)/a/b/c")
        try made.write([[5]], to: "file")
        #expect(try Folder.make("\(scratch.path)//a/./b/c/").read("file", limit: 1) == [5])
        #expect(throws: PosixError.self) { try Folder.make("\(scratch.path)/a/b/c/file/d") }
    }

    @Test func `a full disk tells what to do`() {
        let error = PosixError(code: ENOSPC, operation: "write", subject: "/spool/x")
        #expect(error.name == "ENOSPC")
        #expect(
            error.description
                == "cannot write /spool/x: No space left on device (ENOSPC); free space on that disk, or configure a folder on a larger one"
        )
        #expect(PosixError(code: 9999, operation: "write", subject: "x").description.contains("errno 9999"))
    }

    @Test func `a second holder is told who has the folder`() throws {
        var first: FolderLock? = try FolderLock(folder)
        let error = #expect(throws: FolderInUse.self) { try FolderLock(folder) }
        #expect(error?.processID == getpid())
        #expect(error?.description.contains("process \(getpid())") == true)
        _ = first
        first = nil
        _ = try FolderLock(folder)
    }

    @Test func `A lock that was released can be taken while other threads start processes`() throws {
        let isStarting = Locked(true)
        let starter = DispatchQueue(label: "starter")
        starter.async {
            while isStarting.withLock({ $0 }) { _ = try? ExternalTool.run("true") }
        }
        defer { isStarting.withLock { $0 = false } }
        for _ in 0..<200 { _ = try FolderLock(folder) }
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
