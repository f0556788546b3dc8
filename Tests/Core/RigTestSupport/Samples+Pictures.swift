import FoundationEssentials

extension Samples {
    /// A picture: a JPEG of 16 × 16 gray pixels, as cjpeg makes it.
    package static let jpeg = Array(
        Data(
            base64Encoded:
                "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUo"
                + "KSj/wAALCAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/ALAA/9k="
        )
            ?? Data())
}
