import CaptureModel
import RigSecurity
import Testing

@Suite struct SuggestedNameTests {
    @Test(
        "A machine's name becomes the name of its key",
        arguments: [
            ("left-arm", "left-arm"), ("Studio PC.1", "studio-pc-1"), ("-x_", "x-"), ("Höhle", "h--hle"),
            ("a-machine-with-a-very-long-name", "a-machine-with-a-very-lo"),
        ])
    func suggested(text: String, name: String) throws {
        #expect(KeyName(suggestedBy: text) == (try KeyName(name)))
    }

    @Test(arguments: ["", "-", "---", "…"])
    func `No name is made of nothing`(text: String) {
        #expect(KeyName(suggestedBy: text) == nil)
    }
}
