import CaptureTestSupport
import Glibc
import PrivateFiles
import Testing

@Suite("Files with a secret")
struct PrivateLineTests {
    private let place: TemporaryFolder

    init() throws {
        place = try TemporaryFolder()
    }

    private func file(_ text: String, mode: mode_t = 0o600) throws -> String {
        try place.write(Array(text.utf8), as: "secret")
        let path = place.path + "/secret"
        #expect(unsafe chmod(path, mode) == 0)
        return path
    }

    @Test("Reads one line, with or without its end")
    func line() throws {
        #expect(try PrivateLine.read(file("word\n")) == "word")
        #expect(try PrivateLine.read(file("word\r\n")) == "word")
        #expect(try PrivateLine.read(file("wo rd")) == "wo rd")
    }

    @Test("Reads a user, and a password with colons")
    func login() throws {
        let (user, password) = try PrivateLine.login(file("anna:se:cret\n"))
        #expect(user == "anna" && password == "se:cret")
    }

    @Test("Refuses a file that others can read, and says what to do", arguments: [0o640, 0o604, 0o644] as [mode_t])
    func open(mode: mode_t) throws {
        let path = try file("anna:secret", mode: mode)
        let error = #expect(throws: UnusablePrivateLine.self) { try PrivateLine.read(path) }
        #expect(error?.description.contains("chmod 600 \(path)") == true)
        #expect(error?.description.contains("anna") == false)
    }

    @Test("Refuses what is not one line, and tells nothing of it", arguments: ["one\ntwo", "anna", ":secret", ""])
    func wrong(text: String) throws {
        let path = try file(text)
        let error = #expect(throws: UnusablePrivateLine.self) { _ = try PrivateLine.login(path) }
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains("secret'") == false)
        #expect(throws: UnusablePrivateLine.self) { try PrivateLine.read(place.path) }
        #expect(throws: UnusablePrivateLine.self) { try PrivateLine.read(place.path + "/missing") }
    }
}
