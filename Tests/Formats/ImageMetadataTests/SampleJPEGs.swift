import Foundation

/// A picture of 32 x 24 pixels, 4:2:2, made with `cjpeg -quality 40 -sample 2x1` and rewritten with `jpegtran` of libjpeg-turbo.
enum SampleJPEGs {
    /// `jpegtran -progressive`: ten scans.
    static let progressive = bytes(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhl"
            + "bXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8"
            + "fHx8fHx8fHx8fHx8fHz/wgARCAAYACADASEAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAABAIDAf/EABcBAQEBAQAAAAAA"
            + "AAAAAAAAAAQDAgX/2gAMAwEAAhADEAAAATrvDcXPZaFEyJNr+4MCVW//xAAaEAADAAMBAAAAAAAAAAAAAAAAAQIDEBIx/9oA"
            + "CAEBAAEFApRKEXXdStZaGIquJ8Ej/8QAHBEAAQQDAQAAAAAAAAAAAAAAAAECAxEEEiEz/9oACAEDAQE/ATHb2xDzisjbstGS"
            + "7up//8QAGxEAAgMAAwAAAAAAAAAAAAAAAAIBAxIRISL/2gAIAQIBAT8BE9vLF7cIUr0XTt8iQf/EABoQAAEFAQAAAAAAAAAA"
            + "AAAAABAAARESYYH/2gAIAQEABj8COMaN1QNUj//EABsQAQACAwEBAAAAAAAAAAAAAAEAERAhMUFh/9oACAEBAAE/IcKPXQTl"
            + "fLCHkr63Dop17BU3VWuEuitsZbZ//9oADAMBAAIAAwAAABD20QT/xAAdEQADAAAHAAAAAAAAAAAAAAAAAREhMUFRYcHh/9oA"
            + "CAEDAQE/ECnEJWWup9+EDcYBMkf/xAAcEQACAgIDAAAAAAAAAAAAAAAAARHwITFBUWH/2gAIAQIBAT8Q0M2NqJJd4I09yRKc"
            + "VkSk/8QAHhAAAgMAAgMBAAAAAAAAAAAAAREAITFhgRBRcaH/2gAIAQEAAT8QyrxAswAbOARLxKp+zMqj0HcSYFGFUsmFo6CL"
            + "haYEQgQjH9+QsklOm2eYxDJ0z//Z")
    /// `jpegtran -scans`: a scan for each of three components, without restart markers.
    static let threeScans = bytes(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhl"
            + "bXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8"
            + "fHx8fHx8fHx8fHx8fHz/wAARCAAYACADASEAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAA"
            + "AgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6"
            + "Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG"
            + "x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AKFtD04rWtoauxqOXYhVUZyegFY19c/brkbP9THw"
            + "nGM+pqa2h6cVoImcKPxqpq13tH2OEsG48wjjjHSsmZti+UmNzD5vYVvRJsAx1NOurkWFuHChpGOEUn9fpWCW8tGkclnJ6nnJ"
            + "96ZDGztuY5J6mv/EAB8BAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKC//EALURAAIBAgQEAwQHBQQEAAECdwABAgMRBAUh"
            + "MQYSQVEHYXETIjKBCBRCkaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdo"
            + "aWpzdHV2d3h5eoKDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uLj5OXm5+jp"
            + "6vLz9PX29/j5+v/aAAgBAhEAPwDv2Pn6LdatKq/6/pHp46pyUWu+hz4KlaK89THGy9tXVNdP6Z6lCNlc/9oACAEDEQA/AOI9"
            + "fL6d583Y8qKuz2r/AFfCOXV/r/wDzMPT9pJR7nZmVT3lTWyP/9k=")
    /// `jpegtran -restart 1B`: a restart marker after each of the six units.
    static let restarting = bytes(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhl"
            + "bXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8"
            + "fHx8fHx8fHx8fHx8fHz/wAARCAAYACADASEAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAA"
            + "AgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6"
            + "Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG"
            + "x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREA"
            + "AgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5"
            + "OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPE"
            + "xcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/90ABAAB/9oADAMBAAIRAxEAPwChbQ9OK1raGu/Y4j//0NSNRy7E"
            + "KqjOT0ArGvrn7dcjZ/qY+E4xn1NedRbrVpVX/X9I6svp3nzdj//RW2h6cVoImcKPxqsdU5KLXfQ5Iq7P/9KbVrvaPscJYNx5"
            + "hHHGOlZMzbF8pMbmHzewrHBUrRXnqd9/q+Ecur/X/gH/070SbAMdTTrq5FhbhwoaRjhFJ/X6Vx42Xtq6prp/TM8PT9pJR7n/"
            + "1KJby0aRyWcnqecn3pkMbO25jknqa6KEbK50ZlU95U1sj//Z")

    private static func bytes(_ text: String) -> [UInt8] { Data(base64Encoded: text).map(Array.init) ?? [] }
}
