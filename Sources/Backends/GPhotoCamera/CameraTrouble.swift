/// What a camera's refusal means for people, from libgphoto2's code and words.
struct CameraTrouble: Hashable, Sendable {
    /// The codes of libgphoto2 that say more than that something failed.
    enum Code {
        static let notSupported = -6
        static let inputOutput = -7
        static let timeout = -10
        static let notFoundOnUSB = -52
        static let claim = -53
        static let lock = -60
        static let noSuchCamera = -105
        static let busy = -110
        static let noSpace = -115
    }

    var code: Int
    var words: String

    /// A sentence with the camera's words and the remedy.
    var reason: String { "\(words.isEmpty ? "error \(code)" : words); \(remedy)" }

    private var remedy: String {
        let said = words.lowercased()
        func says(_ parts: String...) -> Bool { parts.contains { said.contains($0) } }
        if code == Code.noSpace || says("store full", "no space", "storage full", "card full") {
            return "its card is full: remove pictures from it that are not needed, or put in another card"
        }
        if says("temperature", "overheat", "too hot") { return "it is too hot: turn it off until it has cooled down" }
        if says("battery") { return "charge its battery, or feed it from the mains" }
        if says("focus") { return "set its lens to manual focus" }
        if says("write protect", "read-only", "read only") { return "unlock its card" }
        switch code {
        case Code.busy:
            return
                "it may still be writing, or refuse because of the pictures on its card that the library does not have yet; if it goes on, turn it off and on"
        case Code.claim, Code.lock:
            return "another program uses it; desktops open cameras by themselves: stop gvfs-gphoto2-volume-monitor"
        case Code.noSuchCamera, Code.notFoundOnUSB, Code.inputOutput, Code.timeout:
            return
                "it is off, asleep, stuck or unplugged: turn it off and on, disable its automatic power-off, and check cable and address"
        case Code.notSupported: return "its model cannot do this by cable; libgphoto2 has the list of models that can"
        default: return "look at its display; if it goes on, turn it off and on"
        }
    }
}
