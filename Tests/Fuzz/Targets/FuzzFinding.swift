/// Something that should hold for any bytes, and does not.
struct FuzzFinding: Error, CustomStringConvertible {
    /// What a user would see, as a sentence.
    var description: String

    /// - Throws: A finding unless `condition` holds.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(FuzzFinding) {
        guard condition else { throw FuzzFinding(description: description()) }
    }
}
