import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@Suite struct OwnershipTests {
    let scratch: TemporaryFolder
    let folder: Folder

    init() throws {
        scratch = try TemporaryFolder()
        folder = try Folder(opening: scratch.path)
    }

    @Test func `A private file is created for its owner only, and only if its name is free`() throws {
        let file = try folder.open("key", for: .creatingPrivate)
        try file.write([1, 2])
        let status = try file.status()
        #expect(status.permissions == 0o600 && status.kind == .file && status.byteCount == 2)
        #expect(status.owner == geteuid() && status.owner == Accounts.currentUser)
        let error = #expect(throws: PosixError.self) { try folder.open("key", for: .creatingPrivate) }
        #expect(error?.code == EEXIST)
    }

    @Test func `A folder is created with the permissions asked for`() throws {
        let made = try folder.makeFolder("private", permissions: 0o700)
        #expect(try made.status().permissions == 0o700 && made.status().kind == .folder)
        let above = try Folder.make("\(scratch.path)/a/b", permissions: 0o700)
        #expect(try above.status().permissions == 0o700)
        #expect(try Folder(opening: "\(scratch.path)/a").status().permissions == 0o700)
    }

    @Test func `Permissions and group of an open file and folder can be set`() throws {
        let file = try folder.open("key", for: .creatingPrivate)
        try file.setPermissions(0o640)
        try file.setGroup(getegid())
        try folder.setPermissions(0o750)
        try folder.setGroup(getegid())
        #expect(try file.status().permissions == 0o640 && file.status().group == getegid())
        #expect(try folder.status().permissions == 0o750 && folder.status().group == getegid())
    }

    @Test func `The status belongs to the open file, whatever its name stands for`() throws {
        let file = try folder.open("key", for: .creatingPrivate)
        try file.write([1])
        try folder.write([[1, 2, 3]], to: "other")
        try folder.rename("other", to: "key")
        #expect(try file.status().byteCount == 1)
        try folder.remove("key")
        #expect(try file.status().permissions == 0o600)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `A user who may not is refused by name`() async throws {
        try scratch.write("x", to: "key")
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let file = try Folder(opening: path).open("key", for: .reading)
            precondition(setuid(65_534) == 0)
            for change in [{ try file.setPermissions(0o644) }, { try file.setGroup(1) }] as [() throws -> Void] {
                let error = try #require(throws: PosixError.self) { try change() }
                try #require(error.code == EPERM && error.subject == "\(path)/key")
            }
        }
    }

    @Test func `Users and groups have the names and numbers of the system`() {
        #expect(Accounts.name(ofUser: 0) == "root" && Accounts.name(ofGroup: 0) == "root")
        #expect(Accounts.group(named: "root") == 0)
        #expect(Accounts.group(named: "no such group") == nil)
        #expect(Accounts.name(ofUser: 4_000_000_000) == "4000000000")
        #expect(Accounts.name(ofGroup: 4_000_000_000) == "4000000000")
    }
}
