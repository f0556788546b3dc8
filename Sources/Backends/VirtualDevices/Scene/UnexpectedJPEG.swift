/// The encoder's output does not have the expected structure.
struct UnexpectedJPEG: Error, CustomStringConvertible {
    var description: String { "libjpeg-turbo made a JPEG of an unexpected structure; a version 2 library is needed" }
}
