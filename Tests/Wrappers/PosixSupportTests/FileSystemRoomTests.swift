import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@Suite struct FileSystemRoomTests {
    @Test func `a disk without a free inode, or one that is read-only, accepts no file`() {
        let free: Int64 = 1 << 40
        #expect(FileSystemRoom(freeBytes: free).obstacle() == nil, "a file system that counts no inodes")
        #expect(FileSystemRoom(freeBytes: free, freeFiles: 1).obstacle() == nil)
        #expect(FileSystemRoom(freeBytes: free, freeFiles: 1).obstacle(toCreating: 2) == .noInode(free: 1, needed: 2))
        #expect(FileSystemRoom(freeBytes: free, freeFiles: 0).usableBytes == 0)
        #expect(FileSystemRoom(freeBytes: free, isReadOnly: true).obstacle() == .readOnly)
        #expect(FileSystemRoom(freeBytes: free, isReadOnly: true).usableBytes == 0)
        #expect(FileSystemRoom(freeBytes: free, freeFiles: 5).usableBytes == free)
    }

    @Test func `a full disk says whether bytes or inodes are missing`() {
        let error = PosixError(code: ENOSPC, operation: "write", subject: "x")
        #expect(error.description(on: FileSystemRoom(freeBytes: 7)).hasSuffix(" (7 bytes free)"))
        let words = error.description(on: FileSystemRoom(freeBytes: 1 << 40, freeFiles: 0))
        #expect(words.contains("0 inodes are free") && !words.contains("bytes free"), "\(words)")
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `the kernel tells of a real disk what is left, and that it is read-only`() throws {
        let disk = try SmallDisk()
        func mount(_ options: String) throws {
            #expect(try ExternalTool.run("mount", "-o", "remount,\(options)", disk.path).status == 0)
        }
        let folder = try Folder(opening: disk.path)
        #expect(try folder.room().obstacle() == nil)
        // The folder itself is one of them.
        try mount("nr_inodes=3")
        for name in ["a", "b"] { try folder.write([[1]], to: name) }
        #expect(try folder.room().obstacle() == .noInode(free: 0, needed: 1))
        try folder.remove("b")
        #expect(try folder.room().freeFiles == 1)
        try mount("ro")
        #expect(try folder.room().obstacle() == .readOnly)
    }
}
