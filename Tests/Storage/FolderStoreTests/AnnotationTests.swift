import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite struct AnnotationTests {
    private let folder: TemporaryFolder
    private let library: FolderStore
    private let reader: FolderReader

    init() async throws {
        folder = try TemporaryFolder()
        library = try Samples.library(folder)
        reader = try FolderReader(folder: folder.path)
        try await library.write(Samples.shot())
    }

    private var file: String { "\(Samples.folder())/annotation.json" }

    @Test func `title and note are lost, or one changes with the other`() async throws {
        #expect(try reader.annotation(of: Samples.shotID()) == ShotAnnotation())
        let first = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: "Gipfel", note: "Wind"))
        #expect(first == ShotAnnotation(title: "Gipfel", note: "Wind"))
        _ = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: "Gipfelkreuz"))
        let expected = ShotAnnotation(title: "Gipfelkreuz", note: "Wind")
        #expect(try await library.annotation(of: Samples.shotID()) == expected)
        #expect(try FolderReader(folder: folder.path).annotation(of: Samples.shotID()) == expected)
    }

    @Test func `a title that was taken back leaves a file behind`() async throws {
        _ = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: "Gipfel"))
        _ = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: ""))
        #expect(try folder.names(Samples.folder()).filter { $0.hasPrefix("annotation") } == [])
    }

    @Test func `a new revision of the shot removes what people wrote`() async throws {
        _ = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: "Gipfel"))
        var shot = try Samples.shot()
        shot.status = .failed
        try await library.write(shot)
        #expect(try reader.annotation(of: Samples.shotID()).title == "Gipfel")
        #expect(try await reader.verify(Samples.shotID()).map(\.path) == [])
    }

    @Test func `a file written by hand is not read`() throws {
        try folder.write(#"{"title": "Von Hand", "mood": 7}"#, to: file)
        #expect(try reader.annotation(of: Samples.shotID()) == ShotAnnotation(title: "Von Hand"))
    }

    @Test func `Reads an annotation of an older version, which has no rejected pictures`() throws {
        try folder.write(#"{"schemaVersion": 1, "title": "Gipfel", "note": "Wind"}"#, to: file)
        #expect(try reader.annotation(of: Samples.shotID()) == ShotAnnotation(title: "Gipfel", note: "Wind"))
    }

    @Test(arguments: ["\u{7}", "\u{202E}", "\u{2066}", "\u{2028}", "\n"])
    func `Refuses a title that changes how a line is shown`(character: String) async throws {
        let title = "a\(character)b"
        let error = await #expect(throws: StorageError.self) {
            try await library.annotate(Samples.shotID(), ShotAnnotationEdit(title: title))
        }
        #expect(error?.code == .invalidRequest)
        #expect(!TakeMark.isValid(text: title) && TakeMark.isValid(text: "ab"))
    }

    @Test(arguments: ["\u{202E}", "\u{2066}", "\u{2028}"])
    func `Reads a stored title that turns the direction of text, which earlier versions accepted`(
        character: String
    ) async throws {
        let title = "a\(character)b"
        let text = try #require(String(bytes: JSONEncoder().encode(["title": title]), encoding: .utf8))
        try folder.write(text, to: file)
        #expect(try reader.annotation(of: Samples.shotID()).title == title)
        // What else is said of the shot does not depend on it.
        let edited = try await library.annotate(Samples.shotID(), ShotAnnotationEdit(note: "Wind"))
        #expect(edited == ShotAnnotation(title: title, note: "Wind"))
    }

    @Test func `Stores rejected pictures with the version that has them, and an annotation without them as before`()
        async throws
    {
        let id = Samples.shotID()
        let (one, two) = (try DeviceID("north/cam1"), try DeviceID("north/cam2"))
        _ = try await library.annotate(id, ShotAnnotationEdit(title: "Gipfel", reject: [two, one, two]))
        #expect(try reader.annotation(of: id) == ShotAnnotation(title: "Gipfel", rejected: [one, two]))
        var members = try JSONSerialization.jsonObject(with: Data(folder.read(file))) as? [String: Any]
        #expect(members?["schemaVersion"] as? Int == 2)
        #expect(members?["rejected"] as? [String] == ["north/cam1", "north/cam2"])
        _ = try await library.annotate(id, ShotAnnotationEdit(note: "Wind", accept: [one]))
        #expect(try reader.annotation(of: id) == ShotAnnotation(title: "Gipfel", note: "Wind", rejected: [two]))
        _ = try await library.annotate(id, ShotAnnotationEdit(accept: [one, two]))
        members = try JSONSerialization.jsonObject(with: Data(folder.read(file))) as? [String: Any]
        #expect(members?["schemaVersion"] as? Int == 1 && members?["rejected"] == nil)
    }

    @Test func `Keeps a file with nothing but rejected pictures, and removes it with the last of them`() async throws {
        let (id, device) = (Samples.shotID(), try DeviceID("north/cam1"))
        _ = try await library.annotate(id, ShotAnnotationEdit(reject: [device]))
        #expect(try folder.names(Samples.folder()).contains("annotation.json"))
        _ = try await library.annotate(id, ShotAnnotationEdit(accept: [device]))
        #expect(try !folder.names(Samples.folder()).contains("annotation.json"))
    }

    @Test(arguments: [
        "", "[]", #"{"title": 7}"#, #"{"schemaVersion": 3, "title": "x"}"#, #"{"title": "a\nb"}"#,
        #"{"rejected": ["north"]}"#, #"{"rejected": "north/cam1"}"#,
    ])
    func `a damaged file is an empty title, and the next edit overwrites it`(_ content: String) async throws {
        try folder.write(content, to: file)
        let problem = #expect(throws: StorageError.self) { try reader.annotation(of: Samples.shotID()) }
        #expect(problem?.code == .corrupted)
        #expect(problem?.description.contains("annotation.json") == true)
        await #expect(throws: StorageError.self) {
            try await reader.edit(Samples.shotID(), ShotAnnotationEdit(title: "x"))
        }
        #expect(try folder.read(file) == Array(content.utf8))
    }

    @Test func `what cannot be shown in a list becomes a title`() async throws {
        for edit in [
            ShotAnnotationEdit(title: "two\nlines"), ShotAnnotationEdit(title: "\u{1B}[2J"),
            ShotAnnotationEdit(title: String(repeating: "x", count: 257)),
            ShotAnnotationEdit(note: String(repeating: "x", count: 16_385)),
        ] {
            let problem = await #expect(throws: StorageError.self) {
                try await reader.edit(Samples.shotID(), edit)
            }
            #expect(problem?.code == .invalidRequest)
        }
    }

    @Test func `a title for a shot that is not there makes one`() async throws {
        let problem = await #expect(throws: StorageError.self) {
            try await reader.edit(Samples.shotID(9), ShotAnnotationEdit(title: "x"))
        }
        #expect(problem?.code == .notFound)
    }

    @Test func `two programs edit at once and one text is lost`() async throws {
        let lock = try FolderLock(try Folder(opening: folder.path), name: ".annotation.lock")
        let problem = await #expect(throws: StorageError.self) {
            try await reader.edit(Samples.shotID(), ShotAnnotationEdit(title: "x"))
        }
        #expect(problem?.code == .conflict)
        withExtendedLifetime(lock) {}
    }
}
