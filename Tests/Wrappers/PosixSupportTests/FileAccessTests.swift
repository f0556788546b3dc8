import CaptureTestSupport
import Foundation
import Glibc
import Testing

@testable import PosixSupport

struct FileAccessTests {
    @Test func aDeviceThatMayBeOpenedWouldBeCalledForbidden() throws {
        let access = FileAccess(path: "/dev/null")
        #expect(access.refusal == nil)
        let ownership = try #require(access.ownership)
        #expect(ownership.owner == 0 && ownership.permissions == 0o666 && ownership.groupName == "root")
    }

    @Test func aMissingDeviceWouldBeCalledForbidden() {
        let access = FileAccess(path: "/nowhere/video0")
        #expect(access.refusal?.code == ENOENT && access.ownership == nil)
    }

    @Test func theGroupThatMayOpenAFileWouldBeWrong() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/node"
        try Data().write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let ownership = try #require(FileAccess(path: path).ownership)
        #expect(ownership.group == getegid() && ownership.isInGroup)
        #expect(ownership.permissions == 0o640 && !ownership.groupMayUse)
    }
}
