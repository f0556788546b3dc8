import CaptureTestSupport
import Foundation
import PosixSupport
import Testing

@Suite struct LastingFolderTests {
    private let scratch: TemporaryFolder
    private let parent: Folder

    init() throws {
        scratch = try TemporaryFolder()
        parent = try Folder(opening: scratch.path)
    }

    @Test func `a folder that stays is opened once`() throws {
        let lasting = try LastingFolder("inside", in: parent)
        #expect(try !lasting.refresh() && lasting.losses == 0)
        try lasting.folder.write([[1]], to: "file")
        #expect(try scratch.names("inside") == ["file"])
    }

    @Test
    func `a folder that was removed is made again, one that was replaced or moved away is opened where it belongs`()
        throws
    {
        let lasting = try LastingFolder("inside", in: parent)
        let path = scratch.path + "/inside"
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: PosixError.self) { try lasting.folder.write([[1]], to: "file") }
        #expect(try lasting.refresh())
        try lasting.folder.write([[1]], to: "file")
        #expect(try scratch.names("inside") == ["file"])

        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        #expect(try lasting.refresh())
        try lasting.folder.write([[2]], to: "second")
        #expect(try scratch.names("inside") == ["second"])
        #expect(try scratch.names("inside.moved") == ["file"])
        #expect(try !lasting.refresh() && lasting.losses == 2)
    }

    @Test func `a folder that cannot be made again stays lost until it can`() throws {
        let lasting = try LastingFolder("inside", in: parent)
        try FileManager.default.removeItem(atPath: scratch.path + "/inside")
        try scratch.write("x", to: "inside")
        #expect(throws: PosixError.self) { try lasting.refresh() }
        #expect(lasting.losses == 0)
        try parent.remove("inside")
        #expect(try lasting.refresh() && lasting.losses == 1)
    }
}
